import { createServer, type AddressInfo } from "node:net";
import { once } from "node:events";
import { expect, test } from "vitest";
import { slabSocket } from "./slab-socket.ts";

test("every byte arrives once and in order, and chunks that are kept do not change", async () => {
  const sent = Buffer.from(Array.from({ length: 1_000_000 }, (_, index) => (index * 31 + (index >> 8)) % 256));
  const server = createServer((client) => client.end(sent)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = slabSocket();
  const chunks: Buffer[] = [];
  socket.on("data", (chunk: Buffer) => chunks.push(chunk));
  socket.connect((server.address() as AddressInfo).port, "127.0.0.1");
  await once(socket, "close");
  server.close();
  expect(Buffer.concat(chunks).equals(sent)).toBe(true);
  expect(new Set(chunks.map(({ buffer }) => buffer)).size, "slabs").toBeGreaterThan(1);
});
