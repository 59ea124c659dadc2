import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { errorCodes, type ErrorCode } from "@routeql/contract/error-codes";
import { paths } from "@routeql/contract/paths";
import { errorBody } from "@routeql/nginx/errors-file";
import { raw } from "./support/raw.ts";
import { query, request, type Reply } from "./support/request.ts";
import type { Received } from "./support/upstream-program.ts";
import { startGatewayParts, type GatewayParts } from "./support/gateway-parts.ts";

let parts: GatewayParts;
beforeAll(async () => void (parts = await startGatewayParts({ settings: { bodyLimitKilobytes: 8 } })));
beforeEach(async () => void (await Promise.all([parts.engine.answer(), parts.sidecar.answer()])));
afterAll(() => parts?.[Symbol.asyncDispose]());

function expectError(reply: Reply, code: ErrorCode): void {
  expect([reply.status, reply.body.toString()]).toEqual([errorCodes[code].status, errorBody(code)]);
  expect(reply.headers).toMatchObject({
    "content-type": "application/json",
    "cache-control": "no-store",
    "strict-transport-security": "max-age=63072000",
    "x-content-type-options": "nosniff",
    "x-request-id": expect.stringMatching(/^[0-9a-f]{32}$/) as string,
  });
}

/** Status, headers and body of the last reply in a raw exchange. */
function parse(text: string): Reply {
  const [head = "", body = ""] = text.slice(text.lastIndexOf("HTTP/1.1 ")).split("\r\n\r\n");
  const [start = "", ...lines] = head.split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
  return {
    status: Number(start.split(" ")[1]),
    headers,
    body: Buffer.from(body),
    echo: () => JSON.parse(body) as Received,
  };
}

test("400 for invalid HTTP", async () => {
  expectError(parse(await raw(parts.gateway, "NONSENSE\r\n\r\n")), "malformed-request");
  expectError(parse(await raw(parts.gateway, "GET / HTTP/1.1\r\n\r\n")), "malformed-request");
  expectError(parse(await raw(parts.gateway, "GET / HTTP/1.1\r\nHost: a b\r\n\r\n")), "malformed-request");
  expectError(parse(await raw(parts.gateway, "GET / HTTP/3.1\r\nHost: a\r\n\r\n")), "malformed-request");
});

test("404 for an unknown path", async () => {
  expectError(await request(parts.gateway, "/nothing"), "not-found");
});

test("405 for a wrong method", async () => {
  expectError(await request(parts.gateway, paths.graphql), "method-not-allowed");
});

test("413 for a body beyond the limit, with or without a length", async () => {
  const limit = 8 * 1024;
  expect((await query(parts.gateway, { body: "x".repeat(limit) })).status).toBe(200);
  expectError(await query(parts.gateway, { body: "x".repeat(limit + 1) }), "payload-too-large");
  expectError(
    await request(parts.gateway, paths.loginCredentials, { method: "POST", body: "x".repeat(limit + 1) }),
    "payload-too-large",
  );
  const chunk = `${(limit + 1).toString(16)}\r\n${"x".repeat(limit + 1)}\r\n0\r\n\r\n`;
  const head =
    "POST /api/graphql HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n";
  expectError(parse(await raw(parts.gateway, head + chunk)), "payload-too-large");
  expect(await parts.engine.received()).toHaveLength(1);
});

test("414 for an address beyond the limit", async () => {
  expectError(await request(parts.gateway, `/api/graphql?${"x".repeat(9000)}`), "uri-too-long");
});

test("415 for another type of body", async () => {
  expectError(await query(parts.gateway, { headers: { "content-type": "text/plain" } }), "unsupported-media-type");
});

test("431 for a header beyond the limit, and for too many of them", async () => {
  expectError(
    await query(parts.gateway, { headers: { authorization: `Bearer ${"x".repeat(9000)}` } }),
    "headers-too-large",
  );
  const many = Object.fromEntries(Array.from({ length: 6 }, (_, index) => [`x-${index}`, "x".repeat(7000)]));
  expectError(await query(parts.gateway, { headers: many }), "headers-too-large");
});

test("a token of 6 KiB passes", async () => {
  const authorization = `Bearer ${"x".repeat(6144)}`;
  expect((await query(parts.gateway, { headers: { authorization } })).echo().headers["authorization"]).toBe(
    authorization,
  );
});

test.each([400, 401, 403, 404, 405, 413, 415, 429, 500, 502, 503, 504])(
  "an upstream's own %i passes with its body and headers",
  async (status) => {
    const answer = {
      status,
      headers: { "retry-after": "17", allow: "POST", "cache-control": "no-cache" },
      body: '{"errors":[{"message":"its own"}]}',
    };
    await Promise.all([
      parts.engine.answer({ "/v1/graphql": answer }),
      parts.sidecar.answer({ [paths.token]: answer }),
    ]);
    for (const reply of [await query(parts.gateway), await request(parts.gateway, paths.token)]) {
      expect([reply.status, reply.body.toString()]).toEqual([status, answer.body]);
      expect(reply.headers).toMatchObject(answer.headers);
    }
  },
);
