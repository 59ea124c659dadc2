import { isIPv4, SocketAddress } from "node:net";
import { isPrefix } from "../shared/prefix.ts";

/**
 * A prefix as Postgres prints it (RFC 5952), so that two spellings of one prefix are equal.
 * @returns undefined for text that is not a prefix; `hostBits` is true if bits beyond its length are set.
 */
export function canonicalPrefix(text: string): { prefix: string; hostBits: boolean } | undefined {
  if (!isPrefix(text)) return undefined;
  const [address = "", length = ""] = text.split("/");
  const family = isIPv4(address) ? "ipv4" : "ipv6";
  const canonical = new SocketAddress({ address, family }).address;
  const bits = family === "ipv4" ? 32 : 128;
  const beyond = (1n << BigInt(bits - Number(length))) - 1n;
  return { prefix: `${canonical}/${length}`, hostBits: (addressNumber(canonical) & beyond) !== 0n };
}

function addressNumber(address: string): bigint {
  if (isIPv4(address)) return address.split(".").reduce((sum, part) => sum * 256n + BigInt(part), 0n);
  // The last 32 bits may be an IPv4 address.
  const plain = address.replace(/[^:]+\.[^:]+$/, (ipv4) => {
    const number = addressNumber(ipv4);
    return `${(number >> 16n).toString(16)}:${(number & 0xffffn).toString(16)}`;
  });
  const [head = "", tail] = plain.split("::");
  const groups = head === "" ? [] : head.split(":");
  const after = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = Array.from({ length: 8 - groups.length - after.length }, () => "0");
  return [...groups, ...zeros, ...after].reduce((sum, group) => (sum << 16n) + BigInt(`0x${group}`), 0n);
}
