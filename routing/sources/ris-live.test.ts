import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type WebSocket, WebSocketServer } from "ws";
import { Backoff } from "./backoff.ts";
import type { LiveListener } from "./live-source.ts";
import { RisLiveSource } from "./ris-live.ts";

let server: WebSocketServer;
let sources: RisLiveSource[];
/** What the source reported, and what the server received. */
let events: string[];
let received: unknown[];

beforeEach(async () => {
  server = new WebSocketServer({ port: 0, host: "127.0.0.1" });
  await once(server, "listening");
  sources = [];
  events = [];
  received = [];
});

afterEach(async () => {
  for (const source of sources) source.stop();
  for (const client of server.clients) client.terminate();
  server.close();
});

const note = (event: string) => (detail: unknown) =>
  void events.push(detail === undefined ? event : `${event} ${JSON.stringify(detail)}`);

const listener: LiveListener = {
  message: ({ id }) => note("message")(id),
  connected: () => note("connected")(undefined),
  alive: () => note("alive")(undefined),
  lost: note("lost"),
  skipped: note("skipped"),
};

function start(change: object = {}, prefixes: readonly string[] | "all" = "all"): RisLiveSource {
  const source = new RisLiveSource({
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    collectors: [],
    prefixes: async () => prefixes,
    onProblem: note("problem"),
    intervals: { subscription: 1, ping: 10, silence: 10_000, leastWait: 1, mostWait: 10 },
    ...change,
  });
  sources.push(source);
  source.start(listener);
  return source;
}

/** The next connection, whose messages are kept. */
async function connection(answersPings = true): Promise<WebSocket> {
  const [socket] = (await once(server, "connection")) as [WebSocket];
  socket.on("message", (data: Buffer) => {
    const message = JSON.parse(data.toString()) as { type: string };
    if (message.type !== "ping") received.push(message);
    else if (answersPings) socket.send('{"type":"pong","data":null}');
  });
  return socket;
}

const bgp = (id: string): string => JSON.stringify({ type: "ris_message", data: { id, type: "UPDATE" } });

test("subscribes to all updates, and reports messages and that it is alive", async () => {
  start();
  const socket = await connection();
  await expect.poll(() => events).toContain("connected");
  socket.send(bgp("1"));
  await expect.poll(() => events).toContain('message "1"');
  await expect.poll(() => events).toContain("alive");
  expect(received).toEqual([{ type: "ris_subscribe", data: { type: "UPDATE", moreSpecific: true } }]);
});

test("subscribes to the configured prefixes of each collector in groups, and to added ones later", async () => {
  const prefixes = Array.from({ length: 51 }, (_, index) => `192.0.2.${index}/32`);
  const source = start({ collectors: ["rrc00", "rrc01"] }, prefixes);
  await connection();
  await expect.poll(() => events).toContain("connected");
  const subscriptions = (received as { data: { host: string; prefix: string[] } }[]).map(({ data }) => [
    data.host,
    data.prefix.length,
  ]);
  expect(subscriptions).toEqual([
    ["rrc00", 50],
    ["rrc00", 1],
    ["rrc01", 50],
    ["rrc01", 1],
  ]);
  received.length = 0;
  prefixes.push("198.51.100.0/24");
  await source.refresh();
  await expect
    .poll(() => received)
    .toMatchObject([{ data: { host: "rrc00", prefix: ["198.51.100.0/24"] } }, { data: { host: "rrc01" } }]);
});

test("reconnects after a lost connection, and is connected after the subscriptions only", async () => {
  start();
  const socket = await connection();
  await expect.poll(() => events).toContain("connected");
  const second = connection();
  socket.terminate();
  await second;
  await expect.poll(() => events.filter((event) => event === "connected")).toHaveLength(2);
  expect(events.filter((event) => event !== "alive")).toEqual(["connected", 'lost "connection lost"', "connected"]);
});

test("reconnects after silence", async () => {
  start({ intervals: { subscription: 1, ping: 5, silence: 30, leastWait: 1, mostWait: 10 } });
  await connection(false);
  const second = connection();
  await expect.poll(() => events).toContain('lost "silent"');
  await second;
});

test("says when the server cuts off a slow reader", async () => {
  start();
  const socket = await connection();
  await expect.poll(() => events).toContain("connected");
  socket.send('{"type":"ris_error","data":{"message":"Your client is too slow"}}');
  socket.close();
  await expect.poll(() => events).toContain('lost "cut off as a slow reader"');
  expect(events).toContain('problem "RIS Live answers with an error: Your client is too slow"');
});

test("reads nothing while it is paused, and reports no silence", async () => {
  const source = start({ intervals: { subscription: 1, ping: 5, silence: 500, leastWait: 1, mostWait: 10 } });
  const socket = await connection();
  await expect.poll(() => events).toContain("connected");
  source.pause();
  socket.send(bgp("late"));
  // Longer than the silence after which it would reconnect.
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(events.filter((event) => event !== "alive")).toEqual(["connected"]);
  source.resume();
  await expect.poll(() => events).toContain('message "late"');
});

test("an answer that waited while it was paused proves nothing", async () => {
  const source = start({ intervals: { subscription: 1, ping: 60_000, silence: 60_000, leastWait: 1, mostWait: 10 } });
  const socket = await connection();
  await expect.poll(() => events).toContain("connected");
  source.pause();
  socket.send('{"type":"pong","data":null}');
  socket.send(bgp("late"));
  source.resume();
  await expect.poll(() => events).toContain('message "late"');
  expect(events).not.toContain("alive");
});

test("a connection that ends while it is paused was ended by the full buffer", async () => {
  // Rare pings: an answer that a busy machine reads late would prove that the source is read again.
  const source = start({ intervals: { subscription: 1, ping: 60_000, silence: 60_000, leastWait: 1, mostWait: 10 } });
  const socket = await connection();
  await expect.poll(() => events).toContain("connected");
  source.pause();
  socket.send(bgp("late"));
  socket.close();
  source.resume();
  await expect.poll(() => events).toContain('lost "buffer full"');
  // What it has received comes first.
  expect(events.indexOf('message "late"')).toBeLessThan(events.indexOf('lost "buffer full"'));
});

test("reads again after a stop while it was paused", async () => {
  const source = start();
  await connection();
  await expect.poll(() => events).toContain("connected");
  source.pause();
  source.stop();
  source.start(listener);
  const socket = await connection();
  socket.send(bgp("next"));
  await expect.poll(() => events).toContain('message "next"');
});

test("reports prefixes that cannot be read, and tries again", async () => {
  const answers: (readonly string[] | Error)[] = [new Error("no database"), ["192.0.2.0/24"]];
  start({
    prefixes: async () => {
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return answer;
    },
  });
  await connection();
  await connection();
  await expect.poll(() => events).toContain("connected");
  expect(events.slice(0, 2)).toEqual(['problem "the subscription failed: no database"', 'lost "no subscription"']);
});

test("waits longer after each failed attempt, with a random share", () => {
  const backoff = new Backoff(1000, 60_000);
  expect([0, 1, 0, 1].map((random) => backoff.next(random))).toEqual([1000, 1000, 4000, 4000]);
  for (let attempt = 0; attempt < 10; attempt += 1) backoff.next();
  expect(backoff.next(0)).toBe(60_000);
  backoff.reset();
  expect(backoff.next(0)).toBe(1000);
});
