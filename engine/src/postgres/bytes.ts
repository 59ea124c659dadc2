declare const oneCharacterEach: unique symbol;

/** Bytes as a string with one character for each (node's "latin1"): made, written and forgotten at less cost than a Buffer. */
export type ByteString = string & { readonly [oneCharacterEach]: true };

/** A text in UTF-8 as it came, in one piece or several: what is only handed on is not decoded, and what is long is not copied. */
export type Bytes = readonly (Buffer | ByteString)[];

/** Bytes up to which copying costs less than gathering, or than keeping the memory that they were read into; node's own buffer for writing at once holds 16 KiB with the head of a response. */
export const longestCopied = 15_360;

export function byteString(data: Buffer, start = 0, end = data.length): ByteString {
  return data.toString("latin1", start, end) as ByteString;
}

export function bufferOf(bytes: Bytes): Buffer {
  const buffers = bytes.map((piece) => (typeof piece === "string" ? Buffer.from(piece, "latin1") : piece));
  const [only] = buffers;
  return buffers.length === 1 && only !== undefined ? only : Buffer.concat(buffers);
}

export function textOf(bytes: Bytes): string {
  return bufferOf(bytes).toString("utf8");
}

export function bytesOf(text: string): Bytes {
  return [Buffer.from(text)];
}

export function lengthOf(bytes: Bytes): number {
  let length = 0;
  for (const piece of bytes) length += piece.length;
  return length;
}

/** The bytes from `start` to before `end`, without copying. */
export function slice(bytes: readonly Buffer[], start: number, end: number): Buffer[] {
  const pieces: Buffer[] = [];
  let offset = 0;
  for (const piece of bytes) {
    const from = Math.max(start - offset, 0);
    const to = Math.min(end - offset, piece.length);
    if (from < to) pieces.push(from === 0 && to === piece.length ? piece : piece.subarray(from, to));
    offset += piece.length;
  }
  return pieces;
}
