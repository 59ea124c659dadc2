import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { PassThrough } from "node:stream";
import { afterEach, expect, test } from "vitest";
import { ExabgpSource } from "./exabgp.ts";
import type { LiveListener } from "./live-source.ts";

let events: string[] = [];
let source: ExabgpSource;
afterEach(() => source.stop());

const listener: LiveListener = {
  message: ({ parsed }) => void events.push(`message ${JSON.stringify(parsed)}`),
  connected: () => void events.push("connected"),
  alive: () => void events.push("alive"),
  lost: (reason) => void events.push(`lost ${reason}`),
  skipped: (reason) => void events.push(`skipped ${reason}`),
};

function start(input: ConstructorParameters<typeof ExabgpSource>[1]): void {
  events = [];
  source = new ExabgpSource("edge", input);
  source.start(listener);
}

const line = (counter: number): string =>
  `${JSON.stringify({ type: "state", counter, neighbor: { address: { peer: "192.0.2.1" } } })}\n`;
const state = 'message [{"skipped":"STATE"}]';

test("reads lines of a pipe until its end, and reports lost lines", async () => {
  const stream = new PassThrough();
  start({ stream });
  expect(source.name).toBe("exabgp-edge");
  stream.write(line(1) + line(2));
  stream.end(line(5));
  await expect
    .poll(() => events)
    .toEqual(["connected", state, state, "skipped lines of exabgp lost", state, "lost connection lost"]);
});

test("a new connection replaces the former one", async () => {
  start({ port: 0 });
  await expect.poll(() => source.port).toBeGreaterThan(0);
  const open = async (): Promise<Socket> => {
    const socket = connect(source.port!);
    await once(socket, "connect");
    return socket;
  };
  const first = await open();
  first.write(line(1));
  await expect.poll(() => events).toEqual(["connected", state]);
  const second = await open();
  second.write(line(1));
  await once(first, "close");
  await expect.poll(() => events).toEqual(["connected", state, "connected", state]);
  second.end();
  await expect.poll(() => events.at(-1)).toBe("lost connection lost");
});

test("reads nothing while it is paused", async () => {
  const stream = new PassThrough();
  start({ stream });
  source.pause();
  stream.write(line(1));
  await expect.poll(() => events).toEqual(["connected", state]);
  stream.write(line(2));
  // The line stays in the pipe.
  await expect.poll(() => stream.readableLength).toBeGreaterThan(0);
  expect(events).toEqual(["connected", state]);
  source.resume();
  await expect.poll(() => events).toEqual(["connected", state, state]);
});
