import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";
import { text } from "node:stream/consumers";
import { paths } from "@routeql/contract/paths";
import { newest } from "../engine/queries.ts";
import { percentile } from "../measure/statistics.ts";
import { addWatchedRows, Subscribers } from "../measure/subscribers.ts";
import { number, table } from "../report.ts";
import type { BenchStack } from "./bench-stack.ts";

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
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: stack.gateway.authority, servername: "localhost" });
  const call = async (asked: Call): Promise<IncomingMessage> => {
    const sent = request({
      ...stack.gateway,
      agent,
      method: asked.method,
      path: asked.path,
      headers: { "content-type": "application/json", ...asked.headers },
    });
    sent.end(asked.body === undefined ? undefined : JSON.stringify(asked.body));
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    const body = await text(response);
    if (response.statusCode !== 200 || body.includes('"errors"'))
      throw new Error(`${asked.path}: ${response.statusCode} ${body.slice(0, 200)}`);
    return response;
  };
  try {
    const key = { "x-service-api-key": stack.value("SERVICE_API_KEY") };
    const [email, password] = [stack.value("ADMIN_EMAIL"), stack.value("ADMIN_PASSWORD")];
    const login: Call = { method: "POST", path: paths.loginCredentials, headers: key, body: { email, password } };
    const cookie = ((await call(login)).headers["set-cookie"]?.[0] ?? "").split(";")[0] ?? "";
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
    agent.destroy();
  }
}

/** The start of a subscription includes its connection, with TLS. A change counts from the commit to the message in the client's process. */
async function subscriptionSteps(stack: BenchStack, times: number): Promise<StepFigures[]> {
  await using owner = await stack.owner();
  await addWatchedRows(owner);
  const origin = {
    url: `wss://${stack.gateway.host}:${stack.gateway.port}${paths.graphql}`,
    token: stack.token,
    authority: stack.gateway.authority,
  };
  await using clients = new Subscribers(origin);
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

export function stepTable(rows: readonly StepFigures[]): string {
  const line = (row: StepFigures): string[] => [
    row.step,
    `${row.times} times`,
    number(row.p50Milliseconds),
    number(row.p95Milliseconds),
  ];
  return table(["step", "measured", "p50 ms", "p95 ms"], rows.map(line));
}

/** Live queries on one way; the time is from the commit to the message in the client's process. */
export interface LiveWay {
  readonly way: string;
  readonly subscribers: number;
  readonly p50Milliseconds: number;
  readonly p95Milliseconds: number;
  /** Messages that did not arrive in time. */
  readonly missing: number;
}

/** The same live queries first directly, then through the gateway, never at the same time. */
export async function measureLiveWays(stack: BenchStack, subscribers: number, changes: number): Promise<LiveWay[]> {
  await using owner = await stack.owner();
  await addWatchedRows(owner);
  let value = 1_000_000;
  const ways = [
    ["engine directly", { url: `ws://${stack.engine.host}:${stack.engine.port}/v1/graphql`, token: stack.token }],
    [
      "gateway, TLS",
      {
        url: `wss://${stack.gateway.host}:${stack.gateway.port}/api/graphql`,
        token: stack.token,
        authority: stack.gateway.authority,
      },
    ],
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

export function liveTable(rows: readonly LiveWay[]): string {
  const line = ({ way, subscribers, p50Milliseconds, p95Milliseconds, missing }: LiveWay): string[] => [
    "live queries",
    way,
    number(subscribers),
    number(p50Milliseconds),
    number(p95Milliseconds),
    String(missing),
  ];
  return table(["case", "way", "subscribers", "p50 ms", "p95 ms", "missing"], rows.map(line));
}
