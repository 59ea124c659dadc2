import { pipeline } from "node:stream";
import { createGunzip } from "node:zlib";
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

const markOfUtf8 = Buffer.from("\u{FEFF}");

/** A text source without the byte order mark of UTF-8. */
export async function* withoutMark(source: ByteSource): ByteSource {
  const { head, whole } = await peek(source, markOfUtf8.length);
  let left = head.equals(markOfUtf8) ? markOfUtf8.length : 0;
  for await (const chunk of whole) {
    const skipped = Math.min(left, chunk.length);
    left -= skipped;
    if (skipped < chunk.length) yield chunk.subarray(skipped);
  }
}

export async function* gunzip(source: ByteSource): ByteSource {
  const stream = createGunzip();
  // An error of either side reaches the reader below.
  pipeline(source, stream, () => {});
  try {
    for await (const chunk of stream) yield chunk as Buffer;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === "Z_BUF_ERROR") throw new BrokenInput("the gzip stream ends early", { cause: error });
    if (code?.startsWith("Z_"))
      throw new BrokenInput(`the gzip stream is damaged: ${(error as Error).message}`, { cause: error });
    throw error;
  }
}
