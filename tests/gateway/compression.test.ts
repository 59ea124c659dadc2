import type { OutgoingHttpHeaders } from "node:http";
import { gunzipSync, gzipSync } from "node:zlib";
import { beforeEach, expect, test } from "vitest";
import { paths } from "@routeql/contract/paths";
import { query, request } from "./support/request.ts";
import { sharedGatewayParts, type GatewayParts } from "./support/gateway-parts.ts";
import type { Answer } from "./support/upstream-program.ts";

let parts: GatewayParts;
beforeEach(async () => void (parts = await sharedGatewayParts()));

const large = JSON.stringify({ data: Array.from({ length: 200 }, (_, index) => ({ prefix: `192.0.2.${index}/32` })) });
const asking = { "accept-encoding": "gzip" };

async function ask(answer: Answer, headers: OutgoingHttpHeaders = asking): ReturnType<typeof query> {
  await parts.engine.answer({ "/v1/graphql": answer });
  return query(parts.gateway, { headers });
}

test.each([
  "application/json",
  "application/json; charset=utf-8",
  "application/graphql-response+json",
  "application/javascript",
  "text/javascript",
  "text/plain",
  "text/css",
  "text/html; charset=utf-8",
])("a large reply of type %s is compressed when asked for", async (type) => {
  const reply = await ask({ headers: { "content-type": type }, body: large });
  expect(reply.headers).toMatchObject({ "content-encoding": "gzip", "content-type": type, vary: "Accept-Encoding" });
  expect(gunzipSync(reply.body).toString()).toBe(large);
  expect(reply.body.length).toBeLessThan(large.length / 3);
});

test.each([{}, { "accept-encoding": "identity" }, { "accept-encoding": "br" }, { "accept-encoding": "gzip;q=0" }])(
  "a client that sends %o gets an uncompressed reply",
  async (headers) => {
    const reply = await ask({ body: large }, headers);
    expect(reply.headers).not.toHaveProperty("content-encoding");
    expect(reply.body.toString()).toBe(large);
  },
);

test("a reply below 1,024 bytes is never compressed, one of 1,024 is", async () => {
  expect((await ask({ body: "x".repeat(1023) })).headers).not.toHaveProperty("content-encoding");
  expect((await ask({ body: "x".repeat(1024) })).headers["content-encoding"]).toBe("gzip");
});

test("an already compressed reply passes unchanged", async () => {
  const bytes = gzipSync(large.repeat(50));
  const reply = await ask({ headers: { "content-encoding": "gzip" }, base64: bytes.toString("base64") });
  expect(bytes.length).toBeGreaterThan(1024);
  expect([reply.headers["content-encoding"], reply.body.equals(bytes)]).toEqual(["gzip", true]);
});

test.each(["image/png", "application/octet-stream", "font/woff2"])(
  "leaves a reply of type %s unchanged",
  async (type) => {
    expect((await ask({ headers: { "content-type": type }, body: large })).headers).not.toHaveProperty(
      "content-encoding",
    );
  },
);

test("a client behind a proxy also gets compressed replies", async () => {
  expect((await ask({ body: large }, { ...asking, via: "1.1 proxy" })).headers["content-encoding"]).toBe("gzip");
});

test("never compresses replies of the login paths, which contain secrets", async () => {
  for (const path of [paths.loginCredentials, paths.loginLdap, paths.token, paths.logout, paths.singleStepToken]) {
    await parts.sidecar.answer({ [path]: { body: large } });
    const reply = await request(parts.gateway, path, { method: "POST", headers: asking });
    expect(reply.headers).not.toHaveProperty("content-encoding");
    expect(reply.body.toString()).toBe(large);
  }
});
