import { expect, test, vi } from "vitest";
import type { WebSocket } from "ws";
import { createOutbox } from "./outbox.ts";

/** As much of a socket as the outbox uses: what was sent stays buffered until it is drained. */
function createSocket() {
  const sent: string[] = [];
  const flushed: (() => void)[] = [];
  const socket = {
    OPEN: 1,
    readyState: 1,
    bufferedAmount: 0,
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

test("a live answer waits while the client is behind, and only the last one is sent", () => {
  const { socket, sent, asWebSocket } = createSocket();
  const outbox = createOutbox(asWebSocket, limits);
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

test("a stopped operation's waiting answer is forgotten", () => {
  const { socket, sent, asWebSocket } = createSocket();
  const outbox = createOutbox(asWebSocket, limits);
  outbox.send("a long frame that congests");
  outbox.sendLatest("a", "late");
  outbox.forget("a");
  socket.drain();
  expect(sent).toEqual(["a long frame that congests"]);
});

test("a client that reads nothing is given up once too much waits", () => {
  const { socket, asWebSocket } = createSocket();
  const outbox = createOutbox(asWebSocket, limits);
  outbox.send("x".repeat(100));
  expect(socket.terminate).not.toHaveBeenCalled();
  outbox.send("x");
  expect(socket.terminate).toHaveBeenCalledTimes(1);
});

test("nothing is sent to a socket that is closing", () => {
  const { socket, sent, asWebSocket } = createSocket();
  socket.readyState = 2;
  createOutbox(asWebSocket, limits).send("x");
  expect(sent).toEqual([]);
});
