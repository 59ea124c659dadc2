import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Answer, Client } from "./client.ts";
import { freePort, type SidecarProcess, startProcess } from "./sidecar-process.ts";
import { Stack } from "./stack.ts";

interface Replica extends SidecarProcess {
  readonly client: Client;
}

let stack: Stack;
let replicas: Replica[];

beforeAll(async () => {
  stack = await Stack.start();
  replicas = await Promise.all([startReplica(), startReplica()]);
});

afterAll(async () => {
  for (const { child } of replicas) child.kill("SIGKILL");
  await stack[Symbol.asyncDispose]();
});

async function startReplica(): Promise<Replica> {
  const port = await freePort();
  const started = startProcess({ ...stack.environment, PORT: String(port), LOG_LEVEL: "info" });
  const client = new Client(`http://127.0.0.1:${port}`, stack.environment["SERVICE_API_KEY"]!);
  while (!started.output().includes('"msg":"ready"')) await sleep(50);
  while ((await client.call("GET", "/readyz")).status !== 200) await sleep(50);
  return { ...started, client };
}

/** A client behind one address: the next replica in turn, and once more with the other when the connection breaks. */
async function balanced(turn: number, call: (client: Client) => Promise<Answer>): Promise<{ answer: Answer; retried: boolean }> {
  const first = replicas[turn % 2]!;
  const second = replicas[(turn + 1) % 2]!;
  try {
    return { answer: await call(first.client), retried: false };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { answer: await call(second.client), retried: true };
  }
}

test(
  "one of two replicas is killed under load, and no client sees more than a retried request",
  { timeout: 60_000 },
  async () => {
    const user = await stack.addUser();
    const sessionId = await replicas[0]!.client.session(user.email, user.password);
    const statuses: number[] = [];
    let retries = 0;
    let issued = 0;
    const killed = sleep(2000).then(() => replicas[0]!.child.kill("SIGKILL"));
    const until = performance.now() + 5000;
    async function work(worker: number): Promise<void> {
      for (let turn = worker; performance.now() < until; turn++) {
        const call =
          turn % 10 === 0
            ? (client: Client) => client.singleStep(user.email, user.password)
            : (client: Client) => client.token(sessionId);
        const { answer, retried } = await balanced(turn, call);
        statuses.push(answer.status);
        issued++;
        if (retried) retries++;
      }
    }
    await Promise.all(Array.from({ length: 4 }, (_, worker) => work(worker)));
    expect(await killed).toBe(true);
    if (replicas[0]!.child.exitCode === null && replicas[0]!.child.signalCode === null) await once(replicas[0]!.child, "exit");
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    expect(retries).toBeGreaterThan(0);
    expect(issued).toBeGreaterThan(40);
    const { rows } = await stack.sql.query("select from auth.audit_events where event = 'token' and user_id = $1", [user.id]);
    expect(rows.length).toBeGreaterThanOrEqual(issued);
  },
);
