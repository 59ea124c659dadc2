import { paths } from "@routeql/contract/paths";
import { Client } from "undici";
import { newest } from "../engine/queries.ts";
import { percentile } from "../measure/statistics.ts";
import { addWatchedRows, type Origin, Subscribers } from "../measure/subscribers.ts";
import { startPlainWebSockets } from "./plain-nginx.ts";
import { type Columns, number } from "../report.ts";
import { type BenchStack, connectOwner } from "./bench-stack.ts";

/** The time of one step of a client, through the gateway over TLS. */
export interface StepFigures {
  readonly step: string;
  readonly times: number;
  readonly p50Milliseconds: number;
  readonly p95Milliseconds: number;
}

interface Call {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: object;
}

/** The steps of one client, one after the other on a kept connection. */
export async function measureEndToEnd(stack: BenchStack, quick: boolean): Promise<StepFigures[]> {
  const { host, port, authority } = stack.gateway;
  const client = new Client(`https://${host}:${port}`, { connect: { ca: authority, servername: "localhost" } });
  const call = async ({ method, path, headers, body }: Call) => {
    const response = await client.request({
      method,
      path,
      headers: { "content-type": "application/json", ...headers },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await response.body.text();
    if (response.statusCode !== 200 || text.includes('"errors"'))
      throw new Error(`${path}: ${response.statusCode} ${text.slice(0, 200)}`);
    return response;
  };
  try {
    const { serviceApiKey, adminEmail: email, adminPassword: password } = stack.access;
    const key = { "x-service-api-key": serviceApiKey };
    const login: Call = { method: "POST", path: paths.loginCredentials, headers: key, body: { email, password } };
    const cookie = String((await call(login)).headers["set-cookie"]).split(";")[0] ?? "";
    const query: Call = {
      method: "POST",
      path: paths.graphql,
      headers: { authorization: `Bearer ${stack.token}` },
      body: { query: newest(10).hasura },
    };
    const often = quick ? 100 : 1_000;
    return [
      await step("login with a password", quick ? 10 : 50, () => call(login)),
      await step("token of a session", often, () =>
        call({ method: "GET", path: paths.token, headers: { ...key, cookie } }),
      ),
      await step("query of 10 rows", often, () => call(query)),
      ...(await subscriptionSteps(stack, quick ? 10 : 50)),
    ];
  } finally {
    await client.destroy();
  }
}

const throughGateway = ({ gateway: { host, port, authority }, token }: BenchStack): Origin => ({
  url: `wss://${host}:${port}${paths.graphql}`,
  token,
  authority,
});

/** The start of a subscription includes its connection, with TLS. A change counts from the commit to the message in the client's process. */
async function subscriptionSteps(stack: BenchStack, times: number): Promise<StepFigures[]> {
  await using owner = await connectOwner(stack);
  await addWatchedRows(owner);
  await using clients = new Subscribers(throughGateway(stack));
  await clients.grow(2);
  const started = await step("start of a subscription", times, () => clients.grow(clients.count + 2));
  const delays: number[] = [];
  for (let change = 0; change < times; change += 1)
    delays.push(...(await clients.change(owner, 2_000_000 + change, change / times)));
  return [started, figuresOf("change to client", times, delays)];
}

async function step(name: string, times: number, work: () => Promise<unknown>): Promise<StepFigures> {
  await work(); // warms up
  const taken: number[] = [];
  for (let time = 0; time < times; time += 1) {
    const began = performance.now();
    await work();
    taken.push(performance.now() - began);
  }
  return figuresOf(name, times, taken);
}

function figuresOf(name: string, times: number, taken: readonly number[]): StepFigures {
  const all = Float64Array.from(taken);
  return { step: name, times, p50Milliseconds: percentile(all, 0.5), p95Milliseconds: percentile(all, 0.95) };
}

export const stepColumns: Columns<StepFigures> = {
  step: (row) => row.step,
  measured: (row) => `${row.times} times`,
  "p50 ms": (row) => number(row.p50Milliseconds),
  "p95 ms": (row) => number(row.p95Milliseconds),
};

/** Live queries on one way; the time is from the commit to the message in the client's process. */
export interface LiveWay {
  readonly way: string;
  readonly subscribers: number;
  readonly p50Milliseconds: number;
  readonly p95Milliseconds: number;
  /** Messages that did not arrive in time. */
  readonly missing: number;
}

/** The same live queries first directly, then through plain nginx, then through the gateway, never at the same time. */
export async function measureLiveWays(stack: BenchStack, subscribers: number, changes: number): Promise<LiveWay[]> {
  await using owner = await connectOwner(stack);
  await addWatchedRows(owner);
  let value = 1_000_000;
  const { engine, token, gateway } = stack;
  await using started = new AsyncDisposableStack();
  // Each connection of a client needs one to the engine.
  const plain = await startPlainWebSockets(stack, 2 * subscribers, started);
  const ways = [
    ["engine directly", { url: `ws://${engine.host}:${engine.port}/v1/graphql`, token }],
    ["plain nginx, TLS", { url: `wss://127.0.0.1:${plain}/v1/graphql`, token, authority: gateway.authority }],
    ["gateway, TLS", throughGateway(stack)],
  ] as const;
  const figures: LiveWay[] = [];
  for (const [way, origin] of ways) {
    await using clients = new Subscribers(origin);
    await clients.grow(subscribers);
    await clients.change(owner, (value += 1), 0); // warms up
    const delays: number[] = [];
    for (let change = 0; change < changes; change += 1)
      delays.push(...(await clients.change(owner, (value += 1), change / changes)));
    const all = Float64Array.from(delays);
    figures.push({
      way,
      subscribers,
      p50Milliseconds: percentile(all, 0.5),
      p95Milliseconds: percentile(all, 0.95),
      missing: subscribers * changes - all.length,
    });
  }
  return figures;
}

export const liveColumns: Columns<LiveWay> = {
  case: () => "live queries",
  way: (row) => row.way,
  subscribers: (row) => number(row.subscribers),
  "p50 ms": (row) => number(row.p50Milliseconds),
  "p95 ms": (row) => number(row.p95Milliseconds),
  missing: (row) => String(row.missing),
};
