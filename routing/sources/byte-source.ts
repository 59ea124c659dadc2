import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
import unbzip2 from "unbzip2-stream";
import type { ByteSource } from "../formats/records.ts";
import { BrokenInput } from "../formats/refusal.ts";

/** The first bytes of a source, at most `length`, and the whole source including them. */
export async function peek(source: ByteSource, length: number): Promise<{ head: Buffer; whole: ByteSource }> {
  const iterator = source[Symbol.asyncIterator]();
  const chunks: Buffer[] = [];
  let size = 0;
  while (size < length) {
    const next = await iterator.next();
    if (next.done) break;
    chunks.push(next.value);
    size += next.value.length;
  }
  return { head: Buffer.concat(chunks).subarray(0, length), whole: replay(chunks, iterator) };
}

/** The source without its first bytes, such as a byte order mark. */
export async function* withoutFirst(source: ByteSource, count: number): ByteSource {
  let left = count;
  for await (const chunk of source) {
    const skipped = Math.min(left, chunk.length);
    left -= skipped;
    if (skipped < chunk.length) yield chunk.subarray(skipped);
  }
}

async function* replay(chunks: Buffer[], iterator: AsyncIterator<Buffer>): ByteSource {
  try {
    while (chunks.length > 0) yield chunks.shift() as Buffer;
    for (;;) {
      const next = await iterator.next();
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}

const endsEarly = (format: string, command: string): string =>
  `the ${format} stream ends early; download it again, or load what is there: ${command} FILE | npm run load -- -`;

const isDamaged = (format: string, { message }: Error): string =>
  `the ${format} stream is damaged: ${message}; download the file again`;

/** Unpacks gzip, also several streams one after another (RFC 1952 section 2.2). */
export async function* gunzip(source: ByteSource): ByteSource {
  const stream = createGunzip();
  // An error of either side reaches the reader below.
  pipeline(source, stream, () => {});
  try {
    for await (const chunk of stream) yield chunk as Buffer;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "Z_BUF_ERROR") throw new BrokenInput(endsEarly("gzip", "zcat"), { cause: error });
    if (code?.startsWith("Z_")) throw new BrokenInput(isDamaged("gzip", error as Error), { cause: error });
    throw error;
  }
}

/** Unpacks bzip2, also several streams one after another, as parallel compressors write them. */
export async function* bunzip2(source: ByteSource): ByteSource {
  // A stream of the old kind: each write unpacks its whole blocks and emits them before it returns.
  const stream = unbzip2();
  const unpacked: Buffer[] = [];
  let failure: Error | undefined;
  stream.on("data", (chunk: Buffer) => void unpacked.push(chunk));
  stream.on("error", (error: Error) => (failure ??= error));
  for await (const chunk of source) {
    stream.write(chunk);
    yield* unpacked.splice(0);
    if (failure !== undefined) throw brokenBzip2(failure);
  }
  stream.end();
  yield* unpacked.splice(0);
  if (failure !== undefined) throw brokenBzip2(failure);
}

const brokenBzip2 = (error: Error): BrokenInput =>
  new BrokenInput(
    // Without more bytes the package reads beyond its queue.
    error instanceof TypeError || error.message.includes("prematurely")
      ? endsEarly("bzip2", "bzcat")
      : isDamaged("bzip2", error),
    { cause: error },
  );
