declare const oneCharacterEach: unique symbol;

/** Bytes as a string with one character per byte (Node's "latin1"): cheaper to create, write and free than a Buffer. */
export type ByteString = string & { readonly [oneCharacterEach]: true };

/** A UTF-8 text as received, in one or several pieces: forwarded text is not decoded, and long text is not copied. */
export type Bytes = readonly (Buffer | ByteString)[];

/** Bytes up to which copying is cheaper than gathering. Node's buffer for a single write holds 16 KiB including the head. */
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

const [open, comma, close] = ["[", ",", "]"].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer];

export function jsonArray(items: readonly Bytes[]): Bytes {
  return [open, ...items.flatMap((item, index) => (index === 0 ? item : [comma, ...item])), close];
}

export function lengthOf(bytes: Bytes): number {
  let length = 0;
  for (const piece of bytes) length += piece.length;
  return length;
}
