import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { paths } from "@routeql/contract/paths";
import { errorBody } from "@routeql/nginx/errors-file";
import { mustRun } from "../harness/process.ts";
import { query, request, type Reply } from "./support/request.ts";
import { startGatewayParts, type GatewayParts } from "./support/gateway-parts.ts";
import { startUpstream } from "./support/upstream.ts";

const shorten = (files: Record<string, string>): void => {
  const name = "proxy-auth-sidecar.conf";
  files[name] = (files[name] ?? "").replaceAll(/(?<name>proxy_read_timeout +)\d+s/g, "$<name>4s");
};

let parts: GatewayParts;
beforeAll(async () => void (parts = await startGatewayParts({ edit: shorten, settings: { queryReplySeconds: 4 } })));
beforeEach(async () => void (await Promise.all([parts.engine.answer(), parts.sidecar.answer()])));
afterAll(() => parts?.[Symbol.asyncDispose]());

function expectUnavailable(reply: Reply): void {
  expect([reply.status, reply.headers["retry-after"], reply.body.toString()]).toEqual([
    503,
    "5",
    errorBody("unavailable"),
  ]);
  expect(reply.headers).toMatchObject({ "cache-control": "no-store", "content-type": "application/json" });
}

test.each([
  ["hangs up", { hangUp: true }],
  ["exceeds its timeout", { delay: 30_000 }],
])("a service that %s gives 503 and receives one request", async (_, answer) => {
  await Promise.all([
    parts.engine.answer({ "/v1/graphql": answer }),
    parts.sidecar.answer({ [paths.loginCredentials]: answer }),
  ]);
  const replies = await Promise.all([
    query(parts.gateway),
    request(parts.gateway, paths.loginCredentials, { method: "POST" }),
  ]);
  for (const reply of replies) expectUnavailable(reply);
  expect(await parts.engine.received()).toHaveLength(1);
  expect(await parts.sidecar.received()).toHaveLength(1);
});

test("waits for a slow service within its timeout", async () => {
  await parts.engine.answer({ "/v1/graphql": { delay: 1200, body: '{"data":1}' } });
  expect((await query(parts.gateway)).body.toString()).toBe('{"data":1}');
});

test("a slow engine does not delay the sidecar", async () => {
  await parts.engine.answer({ "/v1/graphql": { delay: 30_000 } });
  const leaving = new AbortController();
  const answered = vi.fn<(reply: Reply) => void>();
  const slow = query(parts.gateway, { signal: leaving.signal }).then(answered, () => undefined);
  await expect.poll(() => parts.engine.received()).toHaveLength(1);
  expect((await request(parts.gateway, paths.token)).status).toBe(200);
  expect(answered).not.toHaveBeenCalled();
  leaving.abort();
  await slow;
});

test("the engine notices that a client has left", async () => {
  await parts.engine.answer({ "/v1/graphql": { delay: 30_000 } });
  const aborted = new AbortController();
  const outcome = query(parts.gateway, { signal: aborted.signal }).catch(() => "aborted");
  await expect.poll(() => parts.engine.received()).toHaveLength(1);
  aborted.abort();
  expect(await outcome).toBe("aborted");
  await expect.poll(async () => (await parts.engine.received())[0]?.abandoned).toBe(true);
});

test("a reply of ten megabytes arrives completely, plain and compressed", async () => {
  const body = JSON.stringify({ data: "0123456789".repeat(1_048_576) });
  await parts.engine.answer({ "/v1/graphql": { body } });
  expect((await query(parts.gateway)).body.length).toBe(body.length);
  const compressed = await query(parts.gateway, { headers: { "accept-encoding": "gzip" } });
  expect(compressed.headers["content-encoding"]).toBe("gzip");
});

test("a reply without a length arrives completely", async () => {
  await parts.engine.answer({ "/v1/graphql": { chunked: true, body: "x".repeat(300_000) } });
  expect((await query(parts.gateway)).body.length).toBe(300_000);
});

test("a stopped service gives 503 at once, and its successor is found at a new address", async () => {
  const before = await address(parts.engine.getId());
  await parts.engine.stop();
  await new Promise((resolve) => setTimeout(resolve, 2500));
  const begun = Date.now();
  expectUnavailable(await query(parts.gateway));
  expect(Date.now() - begun).toBeLessThan(15_000);
  expectUnavailable(await request(parts.gateway, "/healthz"));
  expect((await request(parts.gateway, paths.token)).status).toBe(200);

  // Another container takes the old address, so that the successor cannot get it.
  await using squatter = await startUpstream("auth-sidecar-2", parts.network.name);
  expect(await address(squatter.getId())).toBe(before);
  await using successor = await startUpstream("engine", parts.network.name);
  expect(await address(successor.getId())).not.toBe(before);
  await expect.poll(async () => (await query(parts.gateway)).status, { timeout: 20_000, interval: 250 }).toBe(200);
  expect(await successor.received()).not.toEqual([]);
  expect(await squatter.received()).toEqual([]);
}, 120_000);

async function address(container: string): Promise<string> {
  const format = `{{(index .NetworkSettings.Networks "${parts.network.name}").IPAddress}}`;
  return (await mustRun("docker", ["inspect", "--format", format, container])).trim();
}
