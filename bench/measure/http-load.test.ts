import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { type Load, type LoadResult, putLoad } from "./http-load.ts";

async function loadOn(listener: RequestListener, load: Omit<Load, "milliseconds">): Promise<LoadResult> {
  await using server = createServer(listener).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return await putLoad(
    { host: "127.0.0.1", port, method: "POST", path: "/", headers: {}, body: "{}" },
    { ...load, milliseconds: 300 },
  );
}

test("counts answers by status, their times and the bytes of a body", async () => {
  let count = 0;
  const result = await loadOn(
    (_, response) => {
      count += 1;
      response.statusCode = count % 2 === 0 ? 503 : 200;
      response.end("x".repeat(100));
    },
    { connections: 2 },
  );
  expect(Object.keys(result.statuses)).toEqual(["200", "503"]);
  expect(result.latencies).toHaveLength(result.statuses[200]!);
  expect(result.refusalLatencies).toHaveLength(result.statuses[503]!);
  expect(result).toMatchObject({ bytes: 100, broken: 0 });
});

test("opens a connection for each request on demand", async () => {
  const ports = new Set<number | undefined>();
  let count = 0;
  await loadOn(
    ({ socket }, response) => {
      ports.add(socket.remotePort);
      count += 1;
      response.end();
    },
    { connections: 1, reconnect: true },
  );
  expect(count).toBeGreaterThan(1);
  expect(ports.size).toBe(count);
});

test("requests at a rate that get no answer count with their waiting time", async () => {
  let count = 0;
  const result = await loadOn(
    (_, response) => {
      count += 1;
      // The first one opens the connection.
      if (count === 1) response.end();
    },
    { connections: 1, rate: 100 },
  );
  expect(result.statuses).toEqual({});
  expect(result.latencies.length).toBeGreaterThan(10);
  expect(Math.max(...result.latencies)).toBeGreaterThan(200);
});

test("rejects if the target is unreachable", async () => {
  const target = { host: "127.0.0.1", port: 1, method: "GET", path: "/", headers: {} } as const;
  await expect(putLoad(target, { connections: 1, milliseconds: 100 })).rejects.toThrow("ECONNREFUSED");
});
