import type { Duplex } from "node:stream";
import { setImmediate as endOfTurn } from "node:timers/promises";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { WebSocket } from "ws";
import { WaitingBytes } from "../cost/waiting-bytes.ts";
import { createOutbox } from "./outbox.ts";

/** The members of a socket that the outbox uses; sent data stays buffered until drained. */
function createSocket() {
  const sent: string[] = [];
  const flushed: (() => void)[] = [];
  const socket = {
    OPEN: 1,
    readyState: 1,
    bufferedAmount: 0,
    pong: vi.fn<(data: Buffer) => void>(),
    terminate: vi.fn<() => void>(),
    send(frame: string, done: () => void) {
      sent.push(frame);
      socket.bufferedAmount += frame.length;
      flushed.push(done);
    },
    drain() {
      socket.bufferedAmount = 0;
      for (const done of flushed.splice(0)) done();
    },
  };
  return { socket, sent, asWebSocket: socket as unknown as WebSocket };
}

const limits = { congested: 10, overflow: 100 };
let all: WaitingBytes;
const fakeConnection = () => ({ cork: vi.fn<() => void>(), uncork: vi.fn<() => void>() });
let connection: ReturnType<typeof fakeConnection>;
const open = (socket: WebSocket) => createOutbox(socket, connection as unknown as Duplex, limits, all, () => "client");

beforeEach(() => {
  connection = fakeConnection();
  all = new WaitingBytes({ limit: 1_000, patience: 60_000 });
});

afterEach(() => all.stop());

test("a live answer waits for a slow client, and only the last one is sent", () => {
  const { socket, sent, asWebSocket } = createSocket();
  const outbox = open(asWebSocket);
  outbox.sendLatest("a", "answer 1 of a");
  expect(outbox.isCongested).toBe(true);
  outbox.sendLatest("a", "answer 2 of a");
  outbox.sendLatest("b", "answer 1 of b");
  outbox.sendLatest("a", "answer 3 of a");
  expect(sent).toEqual(["answer 1 of a"]);
  socket.drain();
  expect(sent).toEqual(["answer 1 of a", "answer 3 of a"]);
  socket.drain();
  expect(sent).toEqual(["answer 1 of a", "answer 3 of a", "answer 1 of b"]);
});

test("short frames of one turn leave together, long ones at once", async () => {
  const { socket, sent, asWebSocket } = createSocket();
  const outbox = open(asWebSocket);
  for (const frame of ["answer of a", "answer of b"]) outbox.send(frame);
  const calls = (): number[] => [sent.length, connection.cork.mock.calls.length, connection.uncork.mock.calls.length];
  expect(calls()).toEqual([2, 1, 0]);
  await endOfTurn();
  expect(calls()).toEqual([2, 1, 1]);
  socket.drain();
  outbox.send("short");
  outbox.send("x".repeat(16_384));
  expect(calls()).toEqual([4, 2, 2]);
  await endOfTurn();
  expect(calls()).toEqual([4, 2, 2]);
});

test("a newer answer replaces a waiting one even where there is room again", () => {
  const { socket, sent, asWebSocket } = createSocket();
  const outbox = open(asWebSocket);
  outbox.send("a long frame that congests");
  outbox.sendLatest("a", "answer 1 of a");
  socket.bufferedAmount = 0;
  outbox.sendLatest("a", "answer 2 of a");
  socket.drain();
  expect(sent.slice(1)).toEqual(["answer 2 of a"]);
});

test("drops the waiting answer of a stopped operation", () => {
  const { socket, sent, asWebSocket } = createSocket();
  const outbox = open(asWebSocket);
  outbox.send("a long frame that congests");
  outbox.sendLatest("a", "late");
  outbox.forget("a");
  socket.drain();
  expect(sent).toEqual(["a long frame that congests"]);
});

test("disconnects a client that reads nothing once too much waits", () => {
  const { socket, asWebSocket } = createSocket();
  const outbox = open(asWebSocket);
  outbox.send("x".repeat(100));
  expect(socket.terminate).not.toHaveBeenCalled();
  outbox.send("x");
  expect(socket.terminate).toHaveBeenCalledTimes(1);
});

test("sends nothing to a closing socket", () => {
  const { socket, sent, asWebSocket } = createSocket();
  socket.readyState = 2;
  open(asWebSocket).send("x");
  expect(sent).toEqual([]);
});

test("counts unsent bytes, including delayed frames, until the connection ends", () => {
  const { socket, asWebSocket } = createSocket();
  const outbox = open(asWebSocket);
  outbox.send("x".repeat(50));
  outbox.sendLatest("a", "y".repeat(30));
  outbox.sendLatest("a", "z".repeat(40));
  expect(all.total).toBe(90);
  outbox.forget("a");
  expect(all.total).toBe(50);
  socket.drain();
  expect(all.total).toBe(0);
  outbox.send("x".repeat(50));
  outbox.close();
  expect(all.total).toBe(0);
});

test("counts nothing of a closed connection, whose socket may keep its last count", () => {
  const { socket, asWebSocket } = createSocket();
  const outbox = open(asWebSocket);
  outbox.send("x".repeat(50));
  outbox.close();
  outbox.forget("a");
  expect(socket.bufferedAmount).toBe(50);
  expect(all.total).toBe(0);
});

test("answers the last of many pings, and none of a client that reads nothing", async () => {
  const { socket, asWebSocket } = createSocket();
  const outbox = open(asWebSocket);
  for (let count = 0; count < 1_000; count += 1) outbox.pong(Buffer.from(String(count)));
  await new Promise(setImmediate);
  expect(socket.pong.mock.calls.map(([data]) => String(data))).toEqual(["999"]);
  outbox.send("a long frame that congests");
  outbox.pong(Buffer.from("1000"));
  await new Promise(setImmediate);
  expect(socket.pong).toHaveBeenCalledTimes(1);
  outbox.close();
});
