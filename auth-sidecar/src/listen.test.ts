import { once } from "node:events";
import { Agent, createServer, get, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { close, listen } from "./listen.ts";

/** Longer than a test may take, so that a test that waits for it fails. */
const grace = 600_000;

test("answers a running request and does not wait for idle connections", async () => {
  const asked = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const server = createServer((_, response) => {
    asked.resolve();
    void go.promise.then(() => response.end("done"));
  });
  const port = await listen(server, 0, "127.0.0.1");
  const request = get({ port, host: "127.0.0.1", agent: new Agent({ keepAlive: true }) });
  const answered = once(request, "response");
  await asked.promise;
  const closed = close(server, grace);
  go.resolve();
  const [response] = (await answered) as [IncomingMessage];
  expect(await text(response)).toBe("done");
  await closed;
});

test("cuts a request without an end after the grace period", async () => {
  const server = createServer(() => undefined);
  const port = await listen(server, 0, "127.0.0.1");
  const request = get({ port, host: "127.0.0.1" });
  const failed = once(request, "error");
  await once(server, "request");
  await close(server, 10);
  expect((await failed)[0]).toMatchObject({ code: "ECONNRESET" });
});
