import { isIPv4, SocketAddress } from "node:net";
import { isPrefix } from "@routeql/database-access/number-resources";

/** An IPv4 or IPv6 prefix as a number. Bits beyond its length are 0. */
export interface Prefix {
  readonly family: 4 | 6;
  readonly length: number;
  readonly bits: bigint;
}

/** Number of bits of an address. */
const widthOf = (family: 4 | 6): number => (family === 4 ? 32 : 128);

/** The prefix of a text such as `192.0.2.0/24`, without bits beyond its length; undefined for other text. */
export function parsePrefix(text: string): Prefix | undefined {
  if (!printed.test(text) && !isPrefix(text)) return undefined;
  const slash = text.indexOf("/");
  const address = text.slice(0, slash);
  const family = address.includes(":") ? 6 : 4;
  return truncated({ family, length: widthOf(family), bits: addressNumber(address) }, Number(text.slice(slash + 1)));
}

/** The prefix of the given length around another. */
export function truncated({ family, bits }: Prefix, length: number): Prefix {
  const beyond = BigInt(widthOf(family) - length);
  return { family, length, bits: (bits >> beyond) << beyond };
}

/** The last address of a prefix as a number. */
export const lastOf = ({ family, length, bits }: Prefix): bigint =>
  bits | ((1n << BigInt(widthOf(family) - length)) - 1n);

/** As Postgres prints it (RFC 5952). */
export function printPrefix({ family, length, bits }: Prefix): string {
  const group = (index: number, size: number, count: number): bigint =>
    (bits >> BigInt(size * (count - 1 - index))) & ((1n << BigInt(size)) - 1n);
  const address =
    family === 4
      ? [0, 1, 2, 3].map((index) => group(index, 8, 4)).join(".")
      : Array.from({ length: 8 }, (_, index) => group(index, 16, 8).toString(16)).join(":");
  return `${new SocketAddress({ address, family: family === 4 ? "ipv4" : "ipv6" }).address}/${length}`;
}

/** IPv6 prefixes that are printed so already: the address ends with at least two groups of zeros and has no others. */
const printed = /^[1-9a-f][0-9a-f]{0,3}(?::[1-9a-f][0-9a-f]{0,3}){0,5}::\/(?:[1-9]?\d|1[01]\d|12[0-8])$/;

/** A prefix as Postgres prints it, whichever way a source spells IPv6; undefined for other values. */
export function prefixOf(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  if (printed.test(value)) return value;
  if (!isPrefix(value)) return undefined;
  const [address = "", length] = value.split("/");
  return isIPv4(address) ? value : `${new SocketAddress({ address, family: "ipv6" }).address}/${length}`;
}

/** The same, and whether bits beyond its length are set. */
export function canonicalPrefix(text: string): { prefix: string; hostBits: boolean } | undefined {
  const prefix = prefixOf(text);
  if (prefix === undefined) return undefined;
  const address = prefix.slice(0, prefix.indexOf("/"));
  const beyond = (1n << BigInt(widthOf(isIPv4(address) ? 4 : 6) - lengthOf(prefix))) - 1n;
  return { prefix, hostBits: (addressNumber(address) & beyond) !== 0n };
}

export const lengthOf = (prefix: string): number => Number(prefix.slice(prefix.indexOf("/") + 1));

function addressNumber(address: string): bigint {
  if (!address.includes(":")) return BigInt(address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0));
  // The last 32 bits may be an IPv4 address.
  const plain = !address.includes(".")
    ? address
    : address.replace(/[^:]+\.[^:]+$/, (ipv4) => {
        const number = addressNumber(ipv4);
        return `${(number >> 16n).toString(16)}:${(number & 0xffffn).toString(16)}`;
      });
  const [head = "", tail] = plain.split("::");
  const groups = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = "0000".repeat(8 - groups.length - after.length);
  return BigInt(`0x${hexadecimal(groups)}${zeros}${hexadecimal(after)}`);
}

const hexadecimal = (groups: readonly string[]): string => {
  let digits = "";
  for (const group of groups) digits += group.padStart(4, "0");
  return digits;
};
