import { once } from "node:events";
import { stat } from "node:fs";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { exchange, statuses } from "./exchange.ts";

let server: Server;
const held = new Set<Socket>();

afterEach(() => {
  for (const socket of held) socket.destroy();
  held.clear();
  server.close();
});

/** A socket to a server with this behaviour for each connection. */
async function socketTo(answer: (socket: Socket) => void): Promise<Socket> {
  server = createServer((socket) => {
    held.add(socket.on("error", () => undefined));
    answer(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return connect({ port: (server.address() as AddressInfo).port, host: "127.0.0.1" });
}

test("returns all bytes until the other side closes, with the status of each reply", async () => {
  const text = await exchange(
    await socketTo((socket) =>
      socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 404 Not Found\r\n\r\n")),
    ),
    "GET",
  );
  expect(statuses(text)).toEqual([200, 404]);
});

test("silence without a close is a failure, and a close without a reply is not", async () => {
  await expect(exchange(await socketTo(() => undefined), "GET", 100)).rejects.toThrow(
    "neither an answer nor an end within 100 ms",
  );
  server.close();
  expect(await exchange(await socketTo((socket) => socket.destroy()), "GET")).toBe("");
});

test("reads bytes that arrived while this process was stopped, however long", async () => {
  const other = Promise.withResolvers<Socket>();
  const socket = await socketTo((accepted) => {
    accepted.once("data", () => void accepted.write("HTTP/1.1 200 OK\r\n\r\n"));
    other.resolve(accepted);
  });
  const answer = exchange(socket, "GET");
  const peer = await other.promise;
  await once(socket, "data");
  // After the pause Node polls, runs callbacks and then timers, without another poll.
  stat("/", () => {
    peer.end("HTTP/1.1 201 Created\r\n\r\n");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2000);
  });
  expect(statuses(await answer)).toEqual([200, 201]);
});
