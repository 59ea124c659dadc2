import { createServer, type AddressInfo, type Socket } from "node:net";
import { once } from "node:events";
import { expect, test } from "vitest";
import { SlabSocket } from "./slab-socket.ts";

/** What came in chunks, read from a server that does with its connection as told. */
async function read(serve: (client: Socket) => void, onChunk: (chunk: Buffer, slabs: SlabSocket) => void): Promise<Buffer[]> {
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
  const chunks = await read((client) => client.end(million), () => undefined);
  expect(Buffer.concat(chunks).equals(million)).toBe(true);
  expect(slabsOf(chunks)).toBeGreaterThan(1);
});

test("memory that is given back is read into again", async () => {
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

test("what is kept does not change, whatever is given back afterwards", async () => {
  const chunks = await read(
    (client) => client.end(million),
    (_chunk, slabs) => {
      slabs.keep();
      slabs.reuse();
    },
  );
  expect(Buffer.concat(chunks).equals(million)).toBe(true);
});
