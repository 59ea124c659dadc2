import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createLogger } from "./run.ts";

const main = fileURLToPath(new URL("../main.ts", import.meta.url));

async function start(
  environment: Record<string, string>,
  ...flags: string[]
): Promise<{ code: unknown; errors: string; output: string }> {
  const child = spawn(process.execPath, [main, ...flags], { env: environment, stdio: ["ignore", "pipe", "pipe"] });
  const [errors, output, [code]] = await Promise.all([text(child.stderr), text(child.stdout), once(child, "exit")]);
  return { code, errors, output };
}

test("the process reports every problem of its settings and exits with 1", async () => {
  const { code, errors, output } = await start({ HASURA_GRAPHQL_SERVER_PORT: "many", ENGINE_POOLSIZE: "4" });
  expect(code).toBe(1);
  expect(output).toBe("");
  expect(errors).toBe(
    [
      "the engine does not start: settings: 3 problems",
      "  ENGINE_POOLSIZE: is not a setting of this engine",
      "  HASURA_GRAPHQL_SERVER_PORT: must be a whole number from 0 to 65535",
      "  HASURA_GRAPHQL_ADMIN_SECRET: must be given",
      "",
    ].join("\n"),
  );
}, 30_000);

test("the process stops waiting for an unreachable key set at the configured timeout", async () => {
  const { code, errors } = await start({
    HASURA_GRAPHQL_ADMIN_SECRET: "the-admin-secret",
    HASURA_GRAPHQL_JWT_SECRET: JSON.stringify({ jwk_url: "http://127.0.0.1:9/jwks" }),
    ENGINE_START_TIMEOUT: "1",
  });
  expect(code).toBe(1);
  expect(errors).toContain("the engine does not start: cannot fetch the token keys from http://127.0.0.1:9/jwks");
  expect(errors).not.toContain("the-admin-secret");
}, 30_000);

test("the process reports problems of the metadata", async () => {
  const { code, errors } = await start({
    HASURA_GRAPHQL_ADMIN_SECRET: "the-admin-secret",
    ENGINE_METADATA_DIRECTORY: "/nonexistent",
  });
  expect(code).toBe(1);
  expect(errors).toMatch(/^the engine does not start: metadata: \d+ problems?\n/);
}, 30_000);

describe("with metadata", () => {
  let directory: string;

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), "engine-run-"));
  });

  afterEach(() => rm(directory, { recursive: true }));

  async function startWith(sources: readonly object[], environment: Record<string, string>) {
    const path = join(directory, "metadata.json");
    await writeFile(path, JSON.stringify({ version: 3, sources }));
    return start({
      HASURA_GRAPHQL_ADMIN_SECRET: "the-admin-secret",
      ENGINE_METADATA_DIRECTORY: path,
      ENGINE_START_TIMEOUT: "1",
      ...environment,
    });
  }

  test("a silent database ends the start at the timeout, without printing the password", async () => {
    const database_url = "postgres://someone:the-password@127.0.0.1:9/routes";
    const { code, errors, output } = await startWith(
      [{ name: "default", kind: "postgres", configuration: { connection_info: { database_url } }, tables: [] }],
      {},
    );
    expect(code).toBe(1);
    expect(errors).toBe("the engine does not start: connection error (connect ECONNREFUSED 127.0.0.1:9)\n");
    expect(output).not.toContain("the-password");
  }, 30_000);

  test("a signal ends a start that waits for the database", async () => {
    const path = join(directory, "metadata.json");
    const database_url = "postgres://someone@127.0.0.1:9/routes";
    const source = {
      name: "default",
      kind: "postgres",
      configuration: { connection_info: { database_url } },
      tables: [],
    };
    await writeFile(path, JSON.stringify({ version: 3, sources: [source] }));
    const environment = {
      HASURA_GRAPHQL_ADMIN_SECRET: "the-admin-secret",
      ENGINE_METADATA_DIRECTORY: path,
      ENGINE_START_TIMEOUT: "60",
    };
    const child = spawn(process.execPath, [main], { env: environment, stdio: ["ignore", "pipe", "inherit"] });
    const ended = once(child, "exit");
    await once(child.stdout, "data");
    child.kill("SIGTERM");
    // Without a handler, the first process of a container would ignore the signal.
    expect(await ended).toEqual([0, null]);
  }, 30_000);

  test.each(["HASURA_GRAPHQL_SERVER_PORT", "ENGINE_METRICS_PORT"])(
    "the process exits when the port of %s is in use",
    async (name) => {
      const other = createServer().listen(0, "127.0.0.1");
      await once(other, "listening");
      const { port } = other.address() as AddressInfo;
      const ports = {
        HASURA_GRAPHQL_SERVER_HOST: "127.0.0.1",
        HASURA_GRAPHQL_SERVER_PORT: "0",
        ENGINE_METRICS_PORT: "0",
        [name]: String(port),
      };
      const { code, errors } = await startWith([], ports);
      other.close();
      expect(code).toBe(1);
      expect(errors).toBe(
        `the engine does not start: listen EADDRINUSE: address already in use 127.0.0.1:${String(port)}\n`,
      );
    },
    30_000,
  );
});

function capture(): { stream: Writable; text: () => string } {
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  return { stream, text: () => lines.join("") };
}

test("redacts keys with secrets, also one level down", () => {
  const { stream, text } = capture();
  createLogger("info", stream).info(
    { authorization: "s3cret", request: { headers: "s3cret", token: "s3cret", variables: "s3cret" } },
    "x",
  );
  expect(text()).not.toContain("s3cret");
  expect(text()).toContain("[redacted]");
});
