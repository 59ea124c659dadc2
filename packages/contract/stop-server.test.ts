import { once } from "node:events";
import { Agent, createServer, get, type IncomingMessage, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { stopServer } from "./stop-server.ts";

/** Longer than a test may take, so that a test that waits for it fails. */
const long = 600_000;

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** The answer to one request on an open connection. */
async function ask(socket: Socket): Promise<string> {
  socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
  const [answer] = (await once(socket, "data")) as [Buffer];
  return answer.toString();
}

test("answers a running request and does not wait for idle connections", async () => {
  const asked = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const server = createServer((_, response) => {
    asked.resolve();
    void go.promise.then(() => response.end("done"));
  });
  const port = await listen(server);
  const request = get({ port, host: "127.0.0.1", agent: new Agent({ keepAlive: true }) });
  const answered = once(request, "response");
  await asked.promise;
  const stopped = stopServer(server, long);
  go.resolve();
  const [response] = (await answered) as [IncomingMessage];
  expect(await text(response)).toBe("done");
  await stopped;
});

test("answers a request on a kept connection with Connection: close and accepts no other", async () => {
  const server = createServer((_, response) => void response.end("done"));
  const port = await listen(server);
  const kept = connect(port, "127.0.0.1");
  expect(await ask(kept)).toContain("\r\nConnection: keep-alive\r\n");
  const stopped = stopServer(server, long, long);
  await expect.poll(() => server.listening).toBe(false);
  const [refused] = (await once(connect(port, "127.0.0.1"), "error")) as [Error];
  expect(refused).toMatchObject({ code: "ECONNREFUSED" });
  const closed = once(kept, "close");
  expect(await ask(kept)).toMatch(/\r\nConnection: close\r\n(.|\r\n)*done/);
  await Promise.all([closed, stopped]);
});

test("closes an idle connection after the quiet time", async () => {
  const server = createServer((_, response) => void response.end("done"));
  const kept = connect(await listen(server), "127.0.0.1");
  await ask(kept);
  const closed = once(kept, "close");
  await stopServer(server, long, 100);
  await closed;
  expect(kept.destroyed).toBe(true);
});

test("cuts a request without an end after the grace period", async () => {
  const server = createServer(() => undefined);
  const port = await listen(server);
  const request = get({ port, host: "127.0.0.1" });
  const failed = once(request, "error");
  await once(server, "request");
  await stopServer(server, 10);
  expect((await failed)[0]).toMatchObject({ code: "ECONNRESET" });
});

test("answers a client that connected while the server was at work", async () => {
  const server = createServer((_, response) => void response.end("done"));
  const connected = new Int32Array(new SharedArrayBuffer(4));
  const client = new Worker(
    `const { parentPort, workerData } = require("node:worker_threads");
     const socket = require("node:net").connect(workerData.port, "127.0.0.1", () => {
       socket.write("GET / HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n", () => {
         Atomics.store(workerData.connected, 0, 1);
         Atomics.notify(workerData.connected, 0);
       });
     });
     socket.once("data", (answer) => parentPort.postMessage(String(answer)));
     socket.once("error", ({ code }) => parentPort.postMessage(code));`,
    { eval: true, workerData: { port: await listen(server), connected } },
  );
  await once(client, "online");
  const answered = once(client, "message");
  // No turn of the event loop, in which the server could accept it.
  Atomics.wait(connected, 0, 0);
  const stopped = stopServer(server, long, 10);
  expect((await answered)[0]).toContain("done");
  await Promise.all([client.terminate(), stopped]);
});
