import { afterEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { once } from "node:events";
import { paths } from "../../contract/paths.ts";
import { errorBody } from "../../nginx/errors-file.ts";
import { raw, statuses } from "./support/raw.ts";
import { query, request } from "./support/request.ts";
import { startSurroundings, type Surroundings, type SurroundingsOptions } from "./support/surroundings.ts";

const running: Surroundings[] = [];
afterEach(async () => {
  for (const parts of running.splice(0)) await parts[Symbol.asyncDispose]();
});

async function start(options: SurroundingsOptions): Promise<Surroundings> {
  const parts = await startSurroundings(options);
  running.push(parts);
  return parts;
}

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

test("an address that sends more than its rate and burst is answered 429 until it slows down", async () => {
  const { gateway, engine } = await start({ settings: { requestsPerSecondPerAddress: 2, burst: 4 } });
  const replies = await Promise.all(Array.from({ length: 20 }, () => query(gateway)));
  const passed = replies.filter((reply) => reply.status === 200).length;
  expect(passed).toBeGreaterThanOrEqual(5);
  expect(passed).toBeLessThanOrEqual(7);
  expect(await engine.received()).toHaveLength(passed);
  for (const reply of replies.filter((reply) => reply.status !== 200)) {
    expect([reply.status, reply.headers["retry-after"], reply.body.toString()]).toEqual([429, "1", errorBody("too-many-requests")]);
    expect(reply.headers["cache-control"]).toBe("no-store");
  }
  await pause(1200);
  expect((await query(gateway)).status).toBe(200);
});

test("logins of all three kinds share one stricter limit, which leaves every other path alone", async () => {
  const { gateway, sidecar } = await start({ settings: { loginRequestsPerMinutePerAddress: 6 } });
  const logins = [paths.loginCredentials, paths.loginLdap, paths.singleStepToken, "/api/auth/login/%63redentials"];
  const replies = [];
  for (let attempt = 0; attempt < 8; attempt += 1) {
    replies.push(await request(gateway, logins[attempt % logins.length] ?? "", { method: "POST", headers: { "x-forwarded-for": `192.0.2.${attempt}` } }));
  }
  expect(replies.map((reply) => reply.status)).toEqual([200, 200, 200, 200, 200, 200, 429, 429]);
  expect([replies[7]?.headers["retry-after"], replies[7]?.body.toString()]).toEqual(["10", errorBody("too-many-requests")]);
  expect(await sidecar.received()).toHaveLength(6);
  expect((await request(gateway, paths.token)).status).toBe(200);
  expect((await query(gateway)).status).toBe(200);
});

test("an address holds no more connections than its limit, WebSockets included", async () => {
  const { gateway } = await start({ settings: { connectionsPerAddress: 3 } });
  const sockets = Array.from({ length: 3 }, () => new WebSocket(`wss://127.0.0.1:${gateway.port("api")}/api/graphql`, { ca: gateway.certificate.certificate }));
  await Promise.all(sockets.map((socket) => once(socket, "message")));
  const refused = await query(gateway);
  expect([refused.status, refused.body.toString()]).toEqual([429, errorBody("too-many-requests")]);
  sockets[0]?.terminate();
  await pause(300);
  expect((await query(gateway)).status).toBe(200);
  for (const socket of sockets) socket.terminate();
});

test("a client that is slow with its headers or its body is cut off without the engine having heard of it", async () => {
  const { gateway, engine } = await start({
    edit: (files) => {
      files["client-limits.conf"] = (files["client-limits.conf"] ?? "").replaceAll(/(client_(?:header|body)_timeout +)10s/g, "$11s");
    },
  });
  const begun = Date.now();
  expect(statuses(await raw(gateway, "POST /api/graphql HTTP/1.1\r\nHost: a\r\nX-Slow: ", { silence: 8000 }))).toEqual([]);
  const head = "POST /api/graphql HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n";
  expect(statuses(await raw(gateway, `${head}{"query"`, { silence: 8000 }))).toEqual([]);
  expect(Date.now() - begun).toBeLessThan(6000);
  expect(await engine.received()).toEqual([]);
});

test("the limits for slow clients are ten seconds", async () => {
  const { gateway } = await start({});
  const begun = Date.now();
  await raw(gateway, "POST /api/graphql HTTP/1.1\r\nHost: a\r\nX-Slow: ", { silence: 20_000 });
  expect(Date.now() - begun).toBeGreaterThan(9000);
  expect(Date.now() - begun).toBeLessThan(13_000);
});
