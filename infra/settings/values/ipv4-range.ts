import { isIPv4 } from "node:net";

export interface Ipv4Range {
  readonly first: number;
  readonly last: number;
}

const numberOf = (address: string): number => address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);

/** `3232235776` → `192.168.1.0` */
export const addressOf = (value: number): string =>
  [24, 16, 8, 0].map((bits) => Math.floor(value / 2 ** bits) % 256).join(".");

const sizeOf = (prefix: number): number => 2 ** (32 - prefix);

/** Reads `192.168.1.0/24`, also with host bits set; undefined for other text. */
export function parseRange(text: string): (Ipv4Range & { readonly prefix: number }) | undefined {
  const [, address = "", length = ""] = /^([^/]+)\/(\d{1,2})$/.exec(text) ?? [];
  const prefix = Number(length);
  if (!isIPv4(address) || prefix > 32) return undefined;
  const size = sizeOf(prefix);
  const first = Math.floor(numberOf(address) / size) * size;
  return { first, last: first + size - 1, prefix };
}

/** Reads ranges that commas separate, without texts of another form. */
export const parseRanges = (text: string): (Ipv4Range & { readonly prefix: number })[] =>
  text.split(",").flatMap((each) => parseRange(each.trim()) ?? []);

export const overlap = (one: Ipv4Range, other: Ipv4Range): boolean =>
  one.first <= other.last && other.first <= one.last;

/** Subnets of a range in the order of their addresses, `prefix` bits long each. */
export function* subnetsOf(
  { first, last }: Ipv4Range,
  prefix: number,
): Generator<Ipv4Range & { readonly text: string }> {
  const size = sizeOf(prefix);
  for (let start = first; start + size - 1 <= last; start += size)
    yield { first: start, last: start + size - 1, text: `${addressOf(start)}/${prefix}` };
}
