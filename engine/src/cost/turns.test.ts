import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { expect, test } from "vitest";
import { Turns } from "./turns.ts";

function busy(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

test("runs the work of a client with low usage immediately", () => {
  const turns = new Turns();
  expect(turns.run("a", () => 1)).toBe(1);
  expect(turns.waiting).toBe(0);
});

test("lets other work run between the work of a client with high usage", async () => {
  const turns = new Turns();
  const order: string[] = [];
  const heavy = Array.from({ length: 10 }, (_item, index) =>
    Promise.resolve(turns.run("heavy", () => (busy(100), order.push(`heavy ${index}`)))),
  );
  await new Promise((next) => setTimeout(next, 1));
  expect(turns.run("light", () => order.push("light"))).not.toBeInstanceOf(Promise);
  await Promise.all(heavy);
  expect(order.indexOf("light")).toBeLessThan(4);
  expect(order.filter((each) => each !== "light")).toEqual(
    Array.from({ length: 10 }, (_item, index) => `heavy ${index}`),
  );
});

test("serves clients with high usage in turn", async () => {
  const turns = new Turns();
  const order: string[] = [];
  const work = (client: string) => () => (busy(100), order.push(client));
  const all = ["a", "a", "a", "a", "b", "b", "b"].map((client) => Promise.resolve(turns.run(client, work(client))));
  await Promise.all(all);
  expect(order.slice(2).join("")).toMatch(/^(?:ab|ba)(?:ab|ba)a$/);
});

test("passes on errors, from immediate and queued work", async () => {
  const turns = new Turns();
  const fail = () => {
    busy(100);
    throw new Error("failed");
  };
  expect(() => turns.run("a", fail)).toThrow("failed");
  await expect(turns.run("a", fail)).rejects.toThrow("failed");
});

test("rejects only the client that has too much queued work", async () => {
  const turns = new Turns();
  void turns.run("a", () => busy(200));
  const waiting = Array.from({ length: 512 }, () => Promise.resolve(turns.run("a", () => undefined)));
  expect(() => turns.run("a", () => undefined)).toThrow("the server is busy");
  expect(turns.run("b", () => 1)).toBe(1);
  await Promise.all(waiting);
});

test("accepts all waiting connections before the next turn", async () => {
  const turns = new Turns();
  const connections = 40;
  let accepted = 0;
  let served = 0;
  const { promise: all, resolve } = Promise.withResolvers<void>();
  const server = createServer(() => {
    turns.connected();
    accepted += 1;
    if (accepted === connections) resolve();
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  void turns.run("heavy", () => busy(100));
  const heavy = Array.from({ length: 100 }, () => Promise.resolve(turns.run("heavy", () => (busy(8), (served += 1)))));
  const { port } = server.address() as AddressInfo;
  const sockets = Array.from({ length: connections }, () => connect(port, "127.0.0.1"));
  await all;
  expect(served).toBeLessThan(connections / 4);
  for (const socket of sockets) socket.destroy();
  server.close();
  await Promise.all(heavy);
});
