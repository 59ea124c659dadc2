import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, expect, test } from "vitest";
import { paths } from "@routeql/contract/paths";
import { query, request } from "./support/request.ts";
import { sharedGatewayParts, type GatewayParts } from "./support/gateway-parts.ts";

let parts: GatewayParts;
beforeEach(async () => void (parts = await sharedGatewayParts()));

/** Upper limit of the gateway's workers, each with its own connections. */
const workers = 8;

/** Clients that send one request after another, and the statuses of the replies. */
class Clients {
  readonly statuses: number[] = [];
  readonly count = 8;
  private readonly end = new AbortController();
  private readonly done = Promise.all(Array.from({ length: this.count }, () => this.work()));

  private async work(): Promise<void> {
    while (!this.end.signal.aborted) this.statuses.push((await query(parts.gateway)).status);
  }

  /** Waits until so many more requests are answered. */
  async answered(count: number): Promise<void> {
    const until = this.statuses.length + count;
    while (this.statuses.length < until) await sleep(20);
  }

  async stop(): Promise<void> {
    this.end.abort();
    await this.done;
  }
}

test("requests of many clients share kept connections", async () => {
  for (let index = 0; index < 40; index += 1) {
    expect((await query(parts.gateway)).status).toBe(200);
    expect((await request(parts.gateway, paths.token)).status).toBe(200);
  }
  for (const part of [parts.engine, parts.sidecar]) {
    const received = await part.received();
    expect(received).toHaveLength(40);
    expect(new Set(received.map(({ connection }) => connection)).size).toBeLessThanOrEqual(workers);
  }
});

test("nothing of a client stays on a connection for the next client", async () => {
  const credentials = {
    authorization: "Bearer a.b.c",
    "x-engine-access-key": "master",
    "x-hasura-role": "admin",
    cookie: "sid=1",
  };
  // In turn, because a connection has a limited life.
  for (let index = 0; index < 4 * workers; index += 1)
    await query(parts.gateway, index % 2 === 0 ? { headers: credentials } : {});
  const received = await parts.engine.received();
  expect(received).toHaveLength(4 * workers);
  const carriers = new Set<number>();
  const later = received.filter(({ connection }, index) => {
    if (index % 2 === 0) carriers.add(connection);
    return index % 2 === 1 && carriers.has(connection);
  });
  expect(later).not.toEqual([]);
  for (const { headers } of later)
    expect(Object.keys(headers).sort()).toEqual([
      "content-length",
      "content-type",
      "host",
      "x-forwarded-for",
      "x-forwarded-proto",
      "x-request-id",
    ]);
});

test("no kept connection is used for much longer than its 10 s", { timeout: 60_000 }, async () => {
  const lives = new Map<number, { first: number; last: number }>();
  const until = Date.now() + 16_000;
  while (Date.now() < until) {
    await parts.engine.answer();
    await query(parts.gateway);
    for (const { connection } of await parts.engine.received()) {
      const now = Date.now();
      lives.set(connection, { first: lives.get(connection)?.first ?? now, last: now });
    }
    await sleep(100);
  }
  expect(lives.size).toBeGreaterThan(1);
  for (const { first, last } of lives.values()) expect(last - first).toBeLessThan(13_000);
});

test("no request fails while the engine is replaced again and again", async () => {
  const clients = new Clients();
  for (let replacement = 0; replacement < 4; replacement += 1) {
    await clients.answered(40);
    await parts.engine.replace();
  }
  await clients.answered(40);
  await clients.stop();
  expect(clients.statuses.filter((status) => status !== 200)).toEqual([]);
});

test("when the engine is killed, only requests in flight fail", async () => {
  await parts.engine.answer({ "/v1/graphql": { delay: 20 } });
  const clients = new Clients();
  await clients.answered(40);
  await parts.engine.breakOff();
  await clients.answered(100);
  await clients.stop();
  const failed = clients.statuses.filter((status) => status !== 200);
  expect(failed.length).toBeLessThanOrEqual(clients.count);
  expect(new Set(failed)).toEqual(failed.length === 0 ? new Set() : new Set([503]));
});
