import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { errorBody } from "../../nginx/errors-file.ts";
import { query, request } from "./support/request.ts";
import { startSurroundings, type Surroundings } from "./support/surroundings.ts";

let parts: Surroundings;

describe("with the console on", () => {
  beforeAll(async () => void (parts = await startSurroundings()));
  beforeEach(() => parts.engine.answer({ "/console": { headers: { "content-type": "text/html" }, body: "<title>console</title>" } }));
  afterAll(() => parts?.[Symbol.asyncDispose]());

  test("its listener serves the engine's page at the root", async () => {
    const reply = await request(parts.gateway, "/?a=b", { listener: "console" });
    expect([reply.status, reply.headers["content-type"], reply.body.toString()]).toEqual([200, "text/html", "<title>console</title>"]);
    expect((await parts.engine.received()).map((entry) => entry.target)).toEqual(["/console"]);
  });

  test("no credential of the browser goes with the page", async () => {
    const secrets = { authorization: "Bearer a", cookie: "sid=1", "x-engine-access-key": "master", "x-hasura-role": "admin" };
    await request(parts.gateway, "/", { listener: "console", headers: secrets });
    const [entry] = await parts.engine.received();
    expect(Object.keys(entry?.headers ?? {}).sort()).toEqual(["connection", "host", "x-forwarded-for", "x-forwarded-proto", "x-request-id"]);
  });

  test("the page keeps the policy that the engine gave it and may not be framed", async () => {
    await parts.engine.answer({ "/console": { headers: { "content-security-policy": "default-src 'self'" } } });
    const { headers } = await request(parts.gateway, "/", { listener: "console" });
    expect(headers).toMatchObject({ "content-security-policy": "default-src 'self'", "x-frame-options": "DENY" });
  });

  test("parts of the page are fetched below /console/, plain names only", async () => {
    await request(parts.gateway, "/console/scripts/app-1.2.js?v=1", { listener: "console" });
    expect((await parts.engine.received()).map((entry) => entry.target)).toEqual(["/console/scripts/app-1.2.js"]);
    for (const path of ["/console", "/console/", "/console/../v1/metadata", "/console/%2e%2e/v1/metadata", "/console/a%20b", "/console/a%0d%0ab", "/console/a%3fb"]) {
      expect((await request(parts.gateway, path, { listener: "console" })).status).toBe(404);
    }
  });

  test.each(["POST", "PUT", "DELETE", "OPTIONS"])("%s is refused with 405 and Allow", async (method) => {
    for (const path of ["/", "/console/app.js"]) {
      const reply = await request(parts.gateway, path, { listener: "console", method });
      expect([reply.status, reply.headers.allow]).toEqual([405, "GET, HEAD"]);
    }
  });

  test("the API's listener has no console", async () => {
    for (const path of ["/", "/console", "/console/app.js"]) expect((await request(parts.gateway, path)).status).toBe(404);
    expect(await parts.engine.received()).toEqual([]);
  });
});

describe("with the console off", () => {
  let off: Surroundings;
  beforeAll(async () => void (off = await startSurroundings({ settings: { console: false } })));
  afterAll(() => off?.[Symbol.asyncDispose]());

  test.each(["/", "/console", "/console/app.js"])("%s does not exist on its listener", async (path) => {
    const reply = await request(off.gateway, path, { listener: "console" });
    expect([reply.status, reply.body.toString()]).toEqual([404, errorBody("not-found")]);
    expect(await off.engine.received()).toEqual([]);
  });

  test("its listener still serves the API", async () => {
    expect((await query(off.gateway, { listener: "console" })).status).toBe(200);
  });
});
