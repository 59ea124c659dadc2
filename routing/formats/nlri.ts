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

/** Encoding of the prefixes of a record. */
export interface NlriEncoding {
  /** Whether prefixes have path identifiers (RFC 7911), as the record announces. */
  readonly addPath: boolean;
  /** The format is older than path identifiers: the announced form always holds. */
  readonly isStrict?: boolean;
  readonly plainFamilies?: PlainFamilies;
}

/** Families of a session whose prefixes have no path identifiers although its records announce them, by the last record that one form fits. */
export interface PlainFamilies {
  readonly has: (family: AddressFamily) => boolean;
  readonly set: (family: AddressFamily, isPlain: boolean) => void;
}

/**
 * Appends the prefixes between two positions to `found`; bits beyond a prefix' length are ignored. Speakers write path identifiers also where
 * the record announces none, and the reverse. The announced form holds unless the bytes cannot be prefixes of it and fit the other one: ordinary
 * prefixes of four bytes can always be read as identifiers, too.
 * @returns whether the bytes end with a prefix; false if a length is too large for the family or the bytes end inside a prefix
 */
export function readNlri(
  bytes: Buffer,
  from: number,
  to: number,
  family: AddressFamily,
  { addPath, isStrict = false, plainFamilies }: NlriEncoding,
  found: Nlri[],
): boolean {
  const before = found.length;
  const read = readForm(bytes, from, to, { family, addPath }, found);
  if (isStrict) return read !== "broken";
  // The leading zeros of an identifier look like default routes, which no message has twice.
  if (!addPath && read !== "broken" && !isDefaultTwice(found, before)) return true;
  if (addPath && read === "exact" && plainFamilies?.has(family) !== true) return true;
  const other: Nlri[] = [];
  const fits =
    readForm(bytes, from, to, { family, addPath: !addPath }, other) === "exact" &&
    (!addPath || !isDefaultTwice(other, 0));
  // Later records of the session may fit both forms.
  if (addPath && fits !== (read === "exact")) plainFamilies?.set(family, fits);
  if (!fits) return read !== "broken";
  found.splice(before, found.length - before, ...other);
  return true;
}

const isDefaultTwice = (prefixes: readonly Nlri[], from: number): boolean => {
  let defaults = 0;
  for (let index = from; index < prefixes.length && defaults < 2; index += 1)
    if (prefixes[index]?.prefix.endsWith("/0")) defaults += 1;
  return defaults > 1;
};

/** @returns whether the bytes end with a prefix; `loose` if a bit beyond a prefix' length is set, which RFC 4271 permits but hardly any speaker writes */
function readForm(
  bytes: Buffer,
  from: number,
  to: number,
  { family, addPath }: { readonly family: AddressFamily; readonly addPath: boolean },
  found: Nlri[],
): "exact" | "loose" | "broken" {
  let exact = true;
  for (let at = from; at < to;) {
    let pathId: number | undefined;
    if (addPath) {
      if (at + 4 > to) return "broken";
      pathId = bytes.readUInt32BE(at);
      at += 4;
      if (at >= to) return "broken";
    }
    const length = bytes[at] as number;
    const size = (length + 7) >> 3;
    if (length > addressBytes[family] * 8 || at + 1 + size > to) return "broken";
    if (((bytes[at + size] as number) & (0xff >> (((length + 7) & 7) + 1))) !== 0 && size > 0) exact = false;
    found.push({ prefix: prefixText(bytes, at + 1, length, family), pathId });
    at += 1 + size;
  }
  return exact ? "exact" : "loose";
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
