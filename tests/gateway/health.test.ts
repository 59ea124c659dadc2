import { beforeEach, expect, test } from "vitest";
import { errorBody } from "@routeql/nginx/errors-file";
import { request } from "./support/request.ts";
import { sharedGatewayParts, type GatewayParts } from "./support/gateway-parts.ts";
import type { Answer } from "./support/upstream-program.ts";

let parts: GatewayParts;
beforeEach(async () => void (parts = await sharedGatewayParts()));

const engineTarget = "/healthz?strict=true";
const sidecarTarget = "/readyz";

async function health(engine: Answer = {}, sidecar: Answer = {}, method = "GET"): ReturnType<typeof request> {
  await Promise.all([
    parts.engine.answer({ [engineTarget]: engine }),
    parts.sidecar.answer({ [sidecarTarget]: sidecar }),
  ]);
  return request(parts.gateway, "/healthz", {
    method,
    headers: { authorization: "Bearer a", cookie: "sid=1", "x-engine-access-key": "k" },
  });
}

test("returns 200 if the engine's strict check and the sidecar succeed", async () => {
  const reply = await health();
  expect([reply.status, reply.headers["content-type"], reply.body.toString()]).toEqual([
    200,
    "application/json",
    '{"status":"ok"}',
  ]);
  expect((await parts.engine.received()).map(({ method, target }) => [method, target])).toEqual([
    ["GET", engineTarget],
  ]);
  expect((await parts.sidecar.received()).map(({ method, target }) => [method, target])).toEqual([
    ["GET", sidecarTarget],
  ]);
});

test("the health requests contain no client data", async () => {
  await health();
  for (const part of [parts.engine, parts.sidecar]) {
    const [entry] = await part.received();
    expect(Object.keys(entry?.headers ?? {}).sort()).toEqual(["host", "x-request-id"]);
  }
});

const sick: ReadonlyArray<readonly [string, Answer]> = [
  ...[401, 403, 404, 429, 500, 502, 503].map(
    (status) => [`answers ${status}`, { status, body: "its own words" }] as const,
  ),
  ["hangs up", { hangUp: true }],
  ["does not answer in time", { delay: 3500 }],
];

test.each(sick)("returns 503 with Retry-After if the engine %s", async (_, answer) => {
  const reply = await health(answer);
  expect([reply.status, reply.headers["retry-after"], reply.body.toString()]).toEqual([
    503,
    "5",
    errorBody("unavailable"),
  ]);
  expect(reply.headers["cache-control"]).toBe("no-store");
});

test.each(sick)("returns 503 with Retry-After if the sidecar %s", async (_, answer) => {
  const reply = await health({}, answer);
  expect([reply.status, reply.headers["retry-after"], reply.body.toString()]).toEqual([
    503,
    "5",
    errorBody("unavailable"),
  ]);
});

test("HEAD gets the same answer without a body", async () => {
  const well = await health({}, {}, "HEAD");
  const ill = await health({ status: 500 }, {}, "HEAD");
  expect([well.status, well.body.length, ill.status, ill.body.length]).toEqual([200, 0, 503, 0]);
});

test.each(["POST", "PUT", "DELETE", "OPTIONS"])("rejects %s with 405 and Allow", async (method) => {
  const reply = await health({}, {}, method);
  expect([reply.status, reply.headers.allow]).toEqual([405, "GET, HEAD"]);
  expect(await parts.engine.received()).toEqual([]);
});
