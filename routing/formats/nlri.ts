/** Reads and writes the prefixes of BGP messages (RFC 4271 section 4.3, RFC 4760 section 5, RFC 7911 section 3). */

/** Address families of BGP (RFC 4760): 1 is IPv4, 2 is IPv6. */
export type AddressFamily = 1 | 2;

/** A prefix of a message; `pathId` only with ADD-PATH (RFC 7911). */
export interface Nlri {
  /** Address and length, `192.0.2.0/24`; an IPv6 address may have more zero groups than RFC 5952 writes. */
  readonly prefix: string;
  readonly pathId: number | undefined;
}

const addressBytes = { 1: 4, 2: 16 } as const;

/**
 * Appends the prefixes between two positions to `found`; bits beyond a prefix' length are ignored.
 * @returns whether the bytes end with a prefix; false if a length is too large for the family or the bytes end inside a prefix
 */
export function readNlri(
  bytes: Buffer,
  from: number,
  to: number,
  { family, addPath }: { readonly family: AddressFamily; readonly addPath: boolean },
  found: Nlri[],
): boolean {
  for (let at = from; at < to;) {
    let pathId: number | undefined;
    if (addPath) {
      if (at + 4 > to) return false;
      pathId = bytes.readUInt32BE(at);
      at += 4;
      if (at >= to) return false;
    }
    const length = bytes[at] as number;
    const size = (length + 7) >> 3;
    if (length > addressBytes[family] * 8 || at + 1 + size > to) return false;
    found.push({ prefix: prefixText(bytes, at + 1, length, family), pathId });
    at += 1 + size;
  }
  return true;
}

/** A prefix whose bytes begin at `at`; bits beyond its length are ignored. */
export function prefixText(bytes: Buffer, at: number, length: number, family: AddressFamily): string {
  const byte = (index: number): number => {
    const bits = length - index * 8;
    if (bits <= 0) return 0;
    const value = bytes[at + index] as number;
    return bits >= 8 ? value : value & (0xff << (8 - bits)) & 0xff;
  };
  if (family === 1) return `${byte(0)}.${byte(1)}.${byte(2)}.${byte(3)}/${length}`;
  const groups = (length + 15) >> 4;
  let text = "";
  for (let group = 0; group < groups; group += 1) {
    if (group > 0) text += ":";
    text += ((byte(group * 2) << 8) | byte(group * 2 + 1)).toString(16);
  }
  return groups < 8 ? `${text}::/${length}` : `${text}/${length}`;
}
