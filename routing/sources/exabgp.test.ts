import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Backoff } from "./backoff.ts";
import { ExabgpSource } from "./exabgp.ts";
import type { LiveListener } from "./live-source.ts";

let events: string[];
let problems: string[];
let source: ExabgpSource;
let server: Server;
let sockets: Socket[];

beforeEach(async () => {
  [events, problems, sockets] = [[], [], []];
  server = createServer((socket) => void sockets.push(socket)).listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(() => {
  vi.restoreAllMocks();
  source.stop();
  for (const socket of sockets) socket.destroy();
  server.close();
});

const listener: LiveListener = {
  message: ({ parsed }) => void events.push(`message ${JSON.stringify(parsed)}`),
  connected: () => void events.push("connected"),
  alive: () => void events.push("alive"),
  lost: (reason) => void events.push(`lost ${reason}`),
  skipped: (reason) => void events.push(`skipped ${reason}`),
};

const portOf = (): number => (server.address() as AddressInfo).port;

/** Connects to the server. @returns its side of the connection */
async function start(given: ConstructorParameters<typeof ExabgpSource>[3] = {}): Promise<Socket> {
  const address = { host: "127.0.0.1", port: portOf() };
  const onProblem = (sentence: string) => void problems.push(sentence);
  source = new ExabgpSource("edge", address, onProblem, { least: 10, most: 10, ...given });
  source.start(listener);
  await expect.poll(() => sockets.length).toBeGreaterThan(0);
  return sockets[0]!;
}

const line = (counter: number, type = "state"): string =>
  `${JSON.stringify({ type, counter, neighbor: { address: { peer: "192.0.2.1" } } })}\n`;
const state = 'message [{"skipped":"STATE"}]';
const keepalive = 'message [{"skipped":"keepalive"}]';

/** Lines of updates. */
const updates = (...counters: readonly number[]): string =>
  counters
    .map((counter) => {
      const asn = { peer: 64_496 };
      const message = { update: { withdraw: { "ipv4 unicast": [{ nlri: "198.51.100.0/24" }] } } };
      const neighbor = { address: { peer: "192.0.2.1" }, asn, message };
      return `${JSON.stringify({ type: "update", time: 1_781_598_108.123456, counter, neighbor })}\n`;
    })
    .join("");
/** The events but messages. */
const others = (): string[] => events.filter((event) => !event.startsWith("message"));
const lost = "skipped lines of exabgp lost";

test("a connection that breaks while the source is paused leaves no timer", async () => {
  const [begun, ended] = [vi.spyOn(globalThis, "setInterval"), vi.spyOn(globalThis, "clearInterval")];
  const socket = await start({ beat: 60_000 });
  source.pause();
  socket.write(line(1));
  await expect.poll(() => events).toContain(state);
  const timer: unknown = begun.mock.results.at(-1)?.value;
  socket.resetAndDestroy();
  await expect.poll(() => sockets.length).toBe(2);
  sockets[1]!.write(line(2));
  await expect.poll(() => events.filter((event) => event === state)).toHaveLength(2);
  source.resume();
  await expect.poll(() => ended.mock.calls.flat()).toContain(timer);
});

test("reports each jump of a counter that ten updates have shown to be its own", async () => {
  const socket = await start();
  socket.write(updates(...Array.from({ length: 10 }, (_, index) => index + 1)) + updates(13, 14, 16));
  await expect.poll(() => events).toHaveLength(16);
  expect(events.slice(11)).toEqual([lost, events[1], events[1], lost, events[1]]);
});

test("a counter that other processes of exabgp share proves no loss", async () => {
  const socket = await start();
  for (let counter = 1; counter < 200; counter += 4)
    socket.write(updates(counter) + line(counter + 2, "keepalive") + line(counter + 3, "keepalive"));
  socket.end(line(1));
  await expect.poll(others).toContain("lost connection lost");
  expect(others()).not.toContain(lost);
  expect(events.filter((event) => event.includes("198.51.100.0/24"))).toHaveLength(50);
});

test("two sessions with one address, each with its counter, prove no loss", async () => {
  const socket = await start();
  for (let counter = 1; counter < 50; counter += 1) socket.write(updates(counter, counter + 1_000));
  socket.end(line(1));
  await expect.poll(others).toContain("lost connection lost");
  expect(others()).not.toContain(lost);
});

test("reads lines until the connection ends, and connects again", async () => {
  const socket = await start();
  expect(source.name).toBe("exabgp-edge");
  socket.write(line(1) + line(2));
  socket.end(line(3));
  const once = ["connected", state, state, state, "lost connection lost"];
  await expect.poll(() => events).toEqual([...once, "connected"]);
  sockets[1]!.write(line(1));
  await expect.poll(() => events).toEqual([...once, "connected", state]);
});

test("tries again while nothing listens", async () => {
  const port = portOf();
  server.close();
  source = new ExabgpSource("edge", { host: "127.0.0.1", port }, (sentence) => void problems.push(sentence), {
    least: 10,
    most: 10,
  });
  source.start(listener);
  await expect.poll(() => problems.length).toBeGreaterThan(1);
  expect(problems[0]).toMatch(/the connection to exabgp failed: .*ECONNREFUSED/);
  server.listen(port, "127.0.0.1");
  await expect.poll(() => events.at(-1)).toBe("connected");
});

test("silence after a keepalive ends the connection; without any, the connection is the proof", async () => {
  const socket = await start({ beat: 5, silence: 30 });
  await expect.poll(() => events.slice(0, 2)).toEqual(["connected", "alive"]);
  socket.write(line(1, "keepalive"));
  await expect.poll(() => events).toContain("lost silent");
  expect(events.slice(events.indexOf(keepalive)).slice(0, 3)).toEqual([keepalive, "alive", "lost silent"]);
});

test("a gap begins before the beats of a machine whose loss keep-alives notice later", async () => {
  await start();
  expect(source.lateness).toBeGreaterThanOrEqual(13_000);
});

test("reads nothing while it is paused", async () => {
  const socket = await start();
  source.pause();
  socket.write(line(1));
  await expect.poll(() => events).toEqual(["connected", state]);
  socket.write(line(2));
  await new Promise((resolve) => socket.write(line(3), resolve));
  expect(events).toEqual(["connected", state]);
  source.resume();
  await expect.poll(() => events).toEqual(["connected", state, state, state]);
});

test("a keepalive proves nothing while lines may have waited for the end of a pause", async () => {
  const socket = await start({ beat: 60_000 });
  const before = ["connected", keepalive, "alive"];
  socket.write(line(1, "keepalive"));
  await expect.poll(() => events).toEqual(before);
  source.pause();
  source.resume();
  socket.write(line(2, "keepalive") + line(3));
  await expect.poll(() => events).toEqual([...before, keepalive, state]);
});

test("proves its connection again after a beat without lines", async () => {
  await start({ beat: 5 });
  source.pause();
  source.resume();
  events.length = 0;
  await expect.poll(() => events).toContain("alive");
});

test("reads again after a stop while it was paused", async () => {
  await start();
  source.pause();
  source.stop();
  source.start(listener);
  await expect.poll(() => sockets).toHaveLength(2);
  sockets[1]!.write(line(1));
  sockets[1]!.write(line(2));
  await expect.poll(() => events).toEqual(["connected", "connected", state, state]);
  sockets[1]!.write(line(3));
  await expect.poll(() => events).toHaveLength(5);
});

test("waits longer after each connection that ends at once, as at a port without a process", async () => {
  const next = vi.spyOn(Backoff.prototype, "next");
  server.on("connection", (socket) => socket.destroy());
  await start({ least: 10, most: 10_000 });
  await expect.poll(() => next.mock.results.length).toBeGreaterThan(3);
  expect(next.mock.results[3]?.value).toBeGreaterThan(10);
});
