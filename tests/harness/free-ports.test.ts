import { createServer } from "node:net";
import { expect, test } from "vitest";
import { freePorts } from "./free-ports.ts";

test("returns different ports below the system's own range, even concurrently", async () => {
  const ports = (await Promise.all(Array.from({ length: 10 }, () => freePorts(5)))).flat();
  expect(new Set(ports).size).toBe(50);
  for (const port of ports) {
    expect(port).toBeGreaterThanOrEqual(20_000);
    expect(port).toBeLessThan(30_000);
  }
});

test("can listen on each port", async () => {
  const [port] = await freePorts(1);
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  expect(server.address()).toMatchObject({ port });
  await new Promise((resolve) => server.close(resolve));
});
