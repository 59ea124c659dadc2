import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Balancer } from "./balancer.ts";
import { type Answer, Client } from "./client.ts";
import { freePorts } from "../harness/free-ports.ts";
import { type SidecarProcess, startProcess } from "./sidecar-process.ts";
import { Stack } from "./stack.ts";

interface Replica extends SidecarProcess {
  readonly port: number;
}

const clients = 4;

let stack: Stack;
let replicas: [Replica, Replica];
let balancer: Balancer;

beforeAll(async () => {
  stack = await Stack.start();
  replicas = await Promise.all([startReplica(), startReplica()]);
  balancer = await Balancer.before(...replicas.map(({ port }) => port));
});

afterAll(async () => {
  await balancer?.[Symbol.asyncDispose]();
  for (const { child } of replicas ?? []) child.kill("SIGKILL");
  await stack[Symbol.asyncDispose]();
});

async function startReplica(): Promise<Replica> {
  const [port] = (await freePorts(1)) as [number];
  const started = startProcess({ ...stack.environment, PORT: String(port), LOG_LEVEL: "info" });
  const client = new Client(`http://127.0.0.1:${port}`, stack.environment["SERVICE_API_KEY"]!);
  while (!started.output().includes('"msg":"ready"')) await sleep(50);
  while ((await client.call("GET", "/readyz")).status !== 200) await sleep(50);
  return { ...started, port };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(10);
}

test("killing one of two replicas under load costs each client at most one retry", async () => {
  const client = new Client(balancer.url, stack.environment["SERVICE_API_KEY"]!);
  // One connection per request, as from the gateway.
  const options = { headers: { connection: "close" } };
  const user = await stack.addUser();
  const sessionId = await client.session(user.email, user.password, options);
  const statuses: number[] = [];
  let retries = 0;
  const over = new AbortController();

  async function withRetry(ask: () => Promise<Answer>): Promise<Answer> {
    try {
      return await ask();
    } catch (error) {
      // Error of fetch when the connection breaks. A second one in a row fails the test.
      if (!(error instanceof TypeError)) throw error;
      retries++;
      return ask();
    }
  }

  async function work(): Promise<void> {
    for (let turn = 0; !over.signal.aborted; turn++) {
      const answer = await withRetry(() =>
        turn % 10 === 0 ? client.singleStep(user.email, user.password, options) : client.token(sessionId, options),
      );
      statuses.push(answer.status);
    }
  }

  const [victim] = replicas;
  const exited = once(victim.child, "exit");
  const killed = (async () => {
    await until(() => statuses.length >= 40);
    expect(retries).toBe(0);
    // Paused first, so that each client has a request in progress when the replica dies.
    victim.child.kill("SIGSTOP");
    await until(() => balancer.standing(victim.port) >= clients);
    victim.child.kill("SIGKILL");
    await exited;
    const before = statuses.length;
    await until(() => statuses.length >= before + 40);
  })().finally(() => over.abort());
  await Promise.all([killed, ...Array.from({ length: clients }, work)]);
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
  expect(retries).toBeGreaterThan(0);
  expect(retries).toBeLessThanOrEqual(clients);
  const { rows } = await stack.sql.query("select from auth.audit_events where event = 'token' and user_id = $1", [
    user.id,
  ]);
  expect(rows.length).toBeGreaterThanOrEqual(statuses.length);
});
