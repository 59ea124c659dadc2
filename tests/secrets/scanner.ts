import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import { spellings } from "./spellings.ts";

/** A secret with a printable name. */
export interface Secret {
  readonly name: string;
  readonly value: string;
}

/** Shorter secrets occur in texts by chance. */
export const shortest = 12;

/** Searches any amount of bytes for many secrets in every spelling. */
export class Scanner {
  /** Spellings with the names of their secrets, by their first three bytes. */
  private readonly byStart = new Map<number, { readonly spelling: Buffer; readonly name: string }[]>();
  /** A filter by the first bytes of all spellings: one lookup skips nearly every position. */
  private readonly starts = new Uint8Array(1 << 24);
  private longest = 3;

  constructor(secrets: readonly Secret[]) {
    for (const { name, value } of secrets) {
      if (value.length < shortest)
        throw new Error(`the secret ${name} is shorter than ${shortest} characters: it could occur by chance`);
      for (const text of spellings(value)) {
        const spelling = Buffer.from(text);
        const start = startOf(spelling, 0);
        this.starts[start] = 1;
        const list = this.byStart.get(start) ?? [];
        this.byStart.set(start, [...list, { spelling, name }]);
        this.longest = Math.max(this.longest, spelling.length);
      }
    }
  }

  /** Names of the secrets in the bytes. */
  inBytes(bytes: Buffer): Set<string> {
    const found = new Set<string>();
    for (let at = 0; at + 2 < bytes.length; at += 1) {
      const start = startOf(bytes, at);
      if (this.starts[start] === 0) continue;
      for (const { spelling, name } of this.byStart.get(start) ?? []) {
        if (
          at + spelling.length <= bytes.length &&
          bytes.compare(spelling, 0, spelling.length, at, at + spelling.length) === 0
        )
          found.add(name);
      }
    }
    return found;
  }

  /** Names of the secrets in a stream, also across its chunks, and its number of bytes. */
  async inStream(stream: Readable): Promise<{ readonly found: Set<string>; readonly bytes: number }> {
    let bytes = 0;
    let rest = Buffer.alloc(0);
    const found = new Set<string>();
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      const piece = Buffer.concat([rest, chunk]);
      for (const name of this.inBytes(piece)) found.add(name);
      rest = piece.subarray(Math.max(0, piece.length - this.longest + 1));
    }
    return { found, bytes };
  }

  async inFile(path: string): Promise<Set<string>> {
    return (await this.inStream(createReadStream(path, { highWaterMark: 1 << 20 }))).found;
  }
}

const startOf = (bytes: Buffer, at: number): number =>
  ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number);
