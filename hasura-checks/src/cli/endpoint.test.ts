import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { buildSchema, introspectionFromSchema } from "graphql";
import { describe, expect, test } from "vitest";
import { MetadataFolder, routeql, sound, tableFile } from "../testing/tool.ts";

describe("a secret that is invalid in a header", () => {
  const noHeader =
    "no header X-Hasura-Admin-Secret can be made of the admin secret: a header is one line of Latin characters";

  test.each([
    ["two lines", "sesame\nopen", noHeader],
    ["characters that are not Latin", "sesame\u2500", noHeader],
    [
      "a zero byte",
      "sesame\0",
      "the file of --admin-secret-file has a zero byte in line 1, so it is UTF-16 or no text",
    ],
  ])("%s: is refused and not quoted", async (_what, secret, reason) => {
    using folder = new MetadataFolder([tableFile("note", sound)]);
    writeFileSync(join(folder.path, "secret"), secret);
    const { code, stderr } = await routeql(folder.path, [
      "diff",
      "--endpoint",
      "https://127.0.0.1:1",
      "--admin-secret-file",
      "secret",
    ]);
    expect(code).toBe(2);
    expect(stderr).toContain(`hasura-checks diff: ${reason}`);
    expect(stderr).not.toContain("sesame");
  });
});

describe("an engine without metadata API", () => {
  /** Answers introspection at one path, and 404 elsewhere. */
  async function engineWith(sdl: string, path = "/v1/graphql") {
    const server = createServer((request, response) => {
      void (async () => {
        const content = await text(request);
        const isIntrospection = content.includes("__schema");
        const answer = isIntrospection
          ? { data: introspectionFromSchema(buildSchema(sdl)) }
          : { errors: [{ message: "key 'query' not found" }] };
        const [status, body] =
          request.url === path
            ? [isIntrospection ? 200 : 400, answer]
            : [404, { error: "resource does not exist", code: "not-found" }];
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
      })();
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    return {
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      [Symbol.asyncDispose]: async () => void (await new Promise((done) => server.close(done))),
    };
  }

  const withNote = "type Query { note: [note!]! } type note { id: Int! }";

  test("has no findings where its GraphQL schema has the tables and columns", async () => {
    using folder = new MetadataFolder([tableFile("note", sound)]);
    await using engine = await engineWith(withNote);
    expect(await routeql(folder.path, ["diff", "--endpoint", engine.url])).toEqual({
      code: 0,
      stdout:
        "no findings; the engine has no metadata API; its GraphQL schema has all tables, columns and relationships of the metadata. Permissions were not compared: run hasura-checks permissions --endpoint\n",
      stderr: "",
    });
  });

  test("is compared at another address of the GraphQL API", async () => {
    using folder = new MetadataFolder([tableFile("note", sound), tableFile("tag", sound)]);
    await using engine = await engineWith(withNote, "/api/graphql");
    const { code, stdout } = await routeql(folder.path, ["diff", "--endpoint", `${engine.url}/api/graphql`]);
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(
        /t1\.yaml:\d+ {2}warning {2}drift\n {2}table public\.tag is only in the repository: the engine has no root field tag\n/,
      ),
    ]);
    expect(stdout).toContain("its GraphQL schema lacks some tables, columns and relationships of the metadata.");
  });

  test("ends the run with the reason where there is no GraphQL API either", async () => {
    using folder = new MetadataFolder([tableFile("note", sound)]);
    await using engine = await engineWith(withNote, "/elsewhere");
    const { code, stderr } = await routeql(folder.path, ["diff", "--endpoint", engine.url]);
    expect([code, stderr]).toEqual([
      2,
      `hasura-checks diff: ${engine.url}/v1/metadata answered 404: resource does not exist. The engine has no metadata API at this address. Its GraphQL API cannot be used instead: ${engine.url}/v1/graphql answered 404: resource does not exist. Enable it (HASURA_GRAPHQL_ENABLED_APIS), or give the address of the GraphQL API: --endpoint ${engine.url}/PATH\n`,
    ]);
  });
});
