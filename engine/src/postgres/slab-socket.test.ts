import { createServer, type AddressInfo, type Socket } from "node:net";
import { once } from "node:events";
import { expect, test } from "vitest";
import { SlabSocket } from "./slab-socket.ts";

/** Chunks read from a test server with the given behaviour. */
async function read(
  serve: (client: Socket) => void,
  onChunk: (chunk: Buffer, slabs: SlabSocket) => void,
): Promise<Buffer[]> {
  const server = createServer(serve).listen(0, "127.0.0.1");
  await once(server, "listening");
  const slabs = new SlabSocket();
  const chunks: Buffer[] = [];
  slabs.socket.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    onChunk(chunk, slabs);
  });
  slabs.socket.connect((server.address() as AddressInfo).port, "127.0.0.1");
  await once(slabs.socket, "close");
  server.close();
  return chunks;
}

const million = Buffer.from(Array.from({ length: 1_000_000 }, (_, index) => (index * 31 + (index >> 8)) % 256));
const slabsOf = (chunks: readonly Buffer[]): number => new Set(chunks.map(({ buffer }) => buffer)).size;

test("every byte arrives once and in order, and chunks do not change", async () => {
  const chunks = await read(
    (client) => client.end(million),
    () => undefined,
  );
  expect(Buffer.concat(chunks).equals(million)).toBe(true);
  expect(slabsOf(chunks)).toBeGreaterThan(1);
});

test("reuses released memory for later reads", async () => {
  const copies: Buffer[] = [];
  const chunks = await read(
    (client) => client.end(million),
    (chunk, slabs) => {
      copies.push(Buffer.from(chunk));
      slabs.reuse();
    },
  );
  expect(Buffer.concat(copies).equals(million)).toBe(true);
  expect(slabsOf(chunks)).toBe(1);
});

test("kept chunks never change after others are released", async () => {
  const chunks = await read(
    (client) => client.end(million),
    (_chunk, slabs) => {
      slabs.keep();
      slabs.reuse();
    },
  );
  expect(Buffer.concat(chunks).equals(million)).toBe(true);
});
