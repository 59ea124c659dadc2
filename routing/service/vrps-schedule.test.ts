import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test, vi } from "vitest";
import { VrpsSchedule } from "./vrps-schedule.ts";

afterEach(() => void vi.useRealTimers());

test("ends a download when the feed stops", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const warn = vi.fn();
  const log = { info: () => {}, warn, error: () => {} };
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/json`;
  const schedule = new VrpsSchedule(address, 60, () => Promise.reject(new Error("not reached")), log);
  const [request] = (await once(server, "request")) as [IncomingMessage];
  schedule[Symbol.dispose]();
  await once(request.socket, "close");
  expect(warn).not.toHaveBeenCalled();
  server.close();
});

test("tries again after five minutes when a list cannot be loaded", async () => {
  let requests = 0;
  // As Routinator answers while it validates for the first time.
  const server = createServer((_, response) => {
    requests += 1;
    response.writeHead(503).end();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const warn = vi.fn<(fields: object, sentence: string) => void>();
  const log = { info: () => {}, warn, error: () => {} };
  const connect = () => Promise.reject(new Error("not reached"));
  vi.useFakeTimers({ toFake: ["setTimeout", "setInterval", "clearTimeout", "clearInterval"] });
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/json`;
  using _ = new VrpsSchedule(address, 60, connect, log);
  await vi.waitUntil(() => warn.mock.calls.length === 1, 10_000);
  // The next attempt is planned after the line.
  await vi.waitUntil(() => vi.getTimerCount() > 0, 10_000);
  vi.advanceTimersByTime(300_000);
  await vi.waitUntil(() => warn.mock.calls.length === 2, 10_000);
  expect(requests).toBe(2);
  server.close();
  server.closeAllConnections();
});
