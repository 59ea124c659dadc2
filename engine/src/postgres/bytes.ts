/** A text in UTF-8 as it came, in one piece or several: what is only handed on is neither joined nor decoded. */
export type Bytes = readonly Buffer[];

export function textOf(bytes: Bytes): string {
  const [only] = bytes;
  return bytes.length === 1 && only !== undefined ? only.toString("utf8") : Buffer.concat(bytes).toString("utf8");
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
export function slice(bytes: Bytes, start: number, end: number): Buffer[] {
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
