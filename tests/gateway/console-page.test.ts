import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createConsolePage } from "../../engine/src/console/page.ts";
import { request } from "./support/request.ts";
import { startSurroundings, type Surroundings } from "./support/surroundings.ts";

const page = createConsolePage()("/console");
const policy = String(page.headers?.["content-security-policy"]);

describe("with a console page of the gateway's own", () => {
  let parts: Surroundings;
  beforeAll(async () => void (parts = await startSurroundings({ settings: { consolePage: { text: page.text, policy } } })));
  afterAll(() => parts?.[Symbol.asyncDispose]());

  test("its listener serves that page at the root, with its policy, and asks the engine for nothing", async () => {
    const reply = await request(parts.gateway, "/?a=b", { listener: "console" });
    expect([reply.status, reply.headers["content-type"], reply.body.toString()]).toEqual([200, "text/html; charset=utf-8", page.text]);
    expect(reply.headers).toMatchObject({
      "content-security-policy": policy,
      "cache-control": "no-store",
      "x-frame-options": "DENY",
      "x-content-type-options": "nosniff",
    });
    expect(reply.headers["strict-transport-security"]).toMatch(/^max-age=\d+/);
    expect(await parts.engine.received()).toEqual([]);
  });

  test("the page is compressed for a client that takes gzip", async () => {
    const reply = await request(parts.gateway, "/", { listener: "console", headers: { "accept-encoding": "gzip" } });
    expect([reply.headers["content-encoding"], reply.headers["content-type"]]).toEqual(["gzip", "text/html; charset=utf-8"]);
    expect(gunzipSync(reply.body).toString()).toBe(page.text);
  });

  test("no other path of a console is there, nor its file by name, and the API's listener has none at all", async () => {
    for (const path of ["/console", "/console/a.js", "/console.html", "/nginx.conf", "/settings.conf"]) {
      expect((await request(parts.gateway, path, { listener: "console" })).status).toBe(404);
    }
    expect((await request(parts.gateway, "/")).status).toBe(404);
  });

  test("another method is refused with 405", async () => {
    expect((await request(parts.gateway, "/", { listener: "console", method: "POST" })).status).toBe(405);
  });
});
