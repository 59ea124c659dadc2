import { afterAll, beforeAll, expect, test } from "vitest";
import { startGatewayParts, type GatewayParts } from "./support/gateway-parts.ts";

let parts: GatewayParts;
beforeAll(async () => {
  parts = await startGatewayParts();
});
afterAll(() => parts[Symbol.asyncDispose]());

/** Ports of the sockets that listen on every address of a family (proc(5)). */
async function listening(table: "tcp" | "tcp6"): Promise<number[]> {
  const { output } = await parts.gateway.exec(["cat", `/proc/net/${table}`]);
  const unspecified = table === "tcp" ? "0".repeat(8) : "0".repeat(32);
  return [...output.matchAll(new RegExp(`: ${unspecified}:([0-9A-F]{4}) \\S+ 0A `, "g"))]
    .map(([, port]) => Number.parseInt(port!, 16))
    .filter((port, index, all) => all.indexOf(port) === index)
    .toSorted((left, right) => left - right);
}

test("listens on IPv4 and on IPv6", async () => {
  const ports = await listening("tcp");
  expect(ports).toEqual(expect.arrayContaining([8080, 8443, 32_000]));
  expect(await listening("tcp6")).toEqual(ports);
});
