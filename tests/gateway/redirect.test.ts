import { afterAll, beforeAll, expect, test } from "vitest";
import { errorBody } from "@routeql/nginx/errors-file";
import { raw } from "./support/raw.ts";
import { request } from "./support/request.ts";
import { startGatewayParts, type GatewayParts } from "./support/gateway-parts.ts";

let parts: GatewayParts;
beforeAll(async () => void (parts = await startGatewayParts({ settings: { httpsPort: 443, consolePort: 32_123 } })));
afterAll(() => parts?.[Symbol.asyncDispose]());

test.each(["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"])(
  "plain HTTP is redirected to https with %s kept",
  async (method) => {
    const reply = await request(parts.gateway, "/api/graphql?a=%20b", { listener: "redirect", method });
    expect([reply.status, reply.headers.location]).toEqual([308, "https://routes.example.net/api/graphql?a=%20b"]);
  },
);

test.each(["attacker.example", "attacker.example:443", "localhost", "[::1]"])(
  "the host in the redirect is the configured one, not %s",
  async (host) => {
    const reply = await request(parts.gateway, "/", { listener: "redirect", headers: { host } });
    expect(reply.headers.location).toBe("https://routes.example.net/");
  },
);

test.each(["//attacker.example/", "/\\attacker.example", "/%0d%0aSet-Cookie:%20a=b", "http://attacker.example/x"])(
  "the target %s stays on the configured host and adds no header",
  async (target) => {
    const text = await raw(parts.gateway, `GET ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`, {
      listener: "redirect",
    });
    expect(text).toMatch(/^HTTP\/1\.1 308 /);
    expect(text).toMatch(/\r\nLocation: https:\/\/routes\.example\.net\/[^\r\n]*\r\n/);
    expect(text).not.toMatch(/\r\nSet-Cookie/i);
  },
);

test("no plain-text request reaches a service", async () => {
  await parts.engine.answer();
  await request(parts.gateway, "/api/graphql", { listener: "redirect", method: "POST", body: "{}" });
  expect(await parts.engine.received()).toEqual([]);
});

test("the plain listener never sends Strict-Transport-Security", async () => {
  const reply = await request(parts.gateway, "/", { listener: "redirect" });
  expect(reply.headers).not.toHaveProperty("strict-transport-security");
});

test("rejects plain HTTP on the API's TLS port with a message", async () => {
  const text = await raw(parts.gateway, "POST /api/graphql HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", {
    plain: true,
  });
  expect(text).toMatch(/^HTTP\/1\.1 400 /);
  expect(text).toContain(errorBody("https-required"));
});

test("redirects a browser's plain HTTP on the console's port and rejects bodies", async () => {
  const get = await raw(parts.gateway, "GET /?a HTTP/1.1\r\nHost: a\r\n\r\n", { plain: true, listener: "console" });
  expect(get).toMatch(/^HTTP\/1\.1 308 .*\r\nLocation: https:\/\/routes\.example\.net:32123\/\?a\r\n/s);
  const post = await raw(parts.gateway, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", {
    plain: true,
    listener: "console",
  });
  expect(post).toMatch(/^HTTP\/1\.1 400 /);
  expect(post).toContain(errorBody("https-required"));
});
