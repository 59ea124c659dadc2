import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { errorBody } from "@routeql/nginx/errors-file";
import { query, request } from "./support/request.ts";
import { sharedGatewayParts, startGatewayParts, type GatewayParts } from "./support/gateway-parts.ts";

let parts: GatewayParts;

/** Paths of the scripts and styles in the page. */
async function assets(): Promise<string[]> {
  const page = (await request(parts.gateway, "/", { listener: "console" })).body.toString();
  return [...page.matchAll(/(?:src|href)="(\/console\/[^"]+)"/g)].map(([, path]) => path ?? "");
}

describe("with the console on", () => {
  beforeEach(async () => void (parts = await sharedGatewayParts()));

  test("serves the page at the root of its listener without the engine", async () => {
    const reply = await request(parts.gateway, "/?a=b", { listener: "console" });
    expect([reply.status, reply.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
    expect(reply.body.toString()).toContain("<title>RouteQL console</title>");
    expect(reply.headers).toMatchObject({
      "cache-control": "no-cache",
      "x-frame-options": "DENY",
      "x-content-type-options": "nosniff",
    });
    expect(reply.headers["strict-transport-security"]).toMatch(/^max-age=\d+/);
    expect(await parts.engine.received()).toEqual([]);
  });

  test("the policy allows scripts, workers and connections of the own origin only", async () => {
    const policy = String(
      (await request(parts.gateway, "/", { listener: "console" })).headers["content-security-policy"],
    );
    const directives = new Map(
      policy.split("; ").map((directive) => [directive.split(" ")[0], directive.split(" ").slice(1).join(" ")]),
    );
    for (const name of ["script-src", "worker-src", "connect-src"])
      expect.soft([name, directives.get(name)]).toEqual([name, "'self'"]);
    for (const name of ["default-src", "base-uri", "form-action", "frame-ancestors"])
      expect.soft([name, directives.get(name)]).toEqual([name, "'none'"]);
    expect(policy).not.toMatch(/https?:|unsafe-eval|\*/);
  });

  test("serves every file of the page, immutable and with its type", async () => {
    const paths = await assets();
    expect(paths.length).toBeGreaterThan(1);
    for (const path of paths) {
      const reply = await request(parts.gateway, path, { listener: "console" });
      expect([path, reply.status]).toEqual([path, 200]);
      expect(reply.headers["content-type"]).toBe(path.endsWith(".css") ? "text/css" : "text/javascript");
      expect(reply.headers["cache-control"]).toBe("public, max-age=31536000, immutable");
      expect(reply.headers["x-content-type-options"]).toBe("nosniff");
    }
  });

  test("sends files gzipped to clients that accept gzip", async () => {
    for (const path of ["/", ...(await assets())]) {
      const plain = await request(parts.gateway, path, { listener: "console" });
      const reply = await request(parts.gateway, path, { listener: "console", headers: { "accept-encoding": "gzip" } });
      expect([path, reply.headers["content-encoding"]]).toEqual([path, "gzip"]);
      expect(gunzipSync(reply.body).equals(plain.body)).toBe(true);
    }
  });

  test.each([
    "/console",
    "/console/",
    "/console/index.html",
    "/console/assets/",
    "/console/assets/none.js",
    "/console/assets/../index.html",
    "/console/assets/%2e%2e/index.html",
    "/console/../v1/metadata",
    "/console/assets/a%20b",
    "/console/assets/a%0d%0ab",
  ])("%s does not exist", async (path) => {
    expect((await request(parts.gateway, path, { listener: "console" })).status).toBe(404);
    expect(await parts.engine.received()).toEqual([]);
  });

  test.each(["POST", "PUT", "DELETE", "OPTIONS"])("rejects %s with 405 and Allow", async (method) => {
    for (const path of ["/", ...(await assets()).slice(0, 1)]) {
      const reply = await request(parts.gateway, path, { listener: "console", method });
      expect([reply.status, reply.headers.allow]).toEqual([405, "GET, HEAD"]);
    }
  });

  test("the API's listener has no console", async () => {
    for (const path of ["/", "/console", ...(await assets())])
      expect((await request(parts.gateway, path)).status).toBe(404);
  });
});

describe("with the console off", () => {
  let off: GatewayParts;
  beforeAll(async () => void (off = await startGatewayParts({ settings: { console: false, metadataApi: true } })));
  afterAll(() => off?.[Symbol.asyncDispose]());

  test.each(["/", "/console", "/console/index.html"])("%s does not exist on its listener", async (path) => {
    const reply = await request(off.gateway, path, { listener: "console" });
    expect([reply.status, reply.body.toString()]).toEqual([404, errorBody("not-found")]);
    expect(await off.engine.received()).toEqual([]);
  });

  test("its listener forwards the metadata API, with the key under either name", async () => {
    for (const name of ["x-engine-access-key", "x-hasura-admin-secret"])
      for (const path of ["/v1/metadata", "/v2/query", "/v1/query", "/v1/graphql", "/v1/graphql/explain"]) {
        const sent = { method: "POST", headers: { [name]: "the key", "x-hasura-role": "viewer" }, body: "{}" };
        expect((await request(off.gateway, path, { listener: "console", ...sent })).status).toBe(200);
        const [received, ...others] = await off.engine.received();
        expect(others).toEqual([]);
        expect(received).toMatchObject({ target: path, headers: { "x-hasura-admin-secret": "the key" } });
        expect(received?.headers).not.toHaveProperty("x-hasura-role");
        await off.engine.answer();
        expect((await request(off.gateway, path, sent)).status).toBe(404);
      }
  });

  test("only an allowed origin, such as Hasura's console, may call the metadata API", async () => {
    const preflight = (origin: string): ReturnType<typeof request> =>
      request(off.gateway, "/v1/metadata", {
        listener: "console",
        method: "OPTIONS",
        headers: {
          origin,
          "access-control-request-method": "POST",
          "access-control-request-headers": "content-type,hasura-client-name,x-hasura-admin-secret",
        },
      });
    const { status, headers } = await preflight("https://app.example.net");
    expect([status, headers["access-control-allow-origin"], headers["access-control-allow-headers"]]).toEqual([
      204,
      "https://app.example.net",
      "content-type,hasura-client-name,x-hasura-admin-secret",
    ]);
    const refused = await preflight("https://other.example.net");
    expect(Object.keys(refused.headers).filter((name) => name.startsWith("access-control-"))).toEqual([]);
  });

  test("its listener still serves the API", async () => {
    expect((await query(off.gateway, { listener: "console" })).status).toBe(200);
  });
});
