import { isIP } from "node:net";

/** First six groups of addresses that contain an IPv4 address: IPv4-mapped ones, and those of a translator (RFC 6052, 2.1; RFC 7755). */
const withIPv4: ReadonlySet<string> = new Set(["0:0:0:0:0:ffff", "64:ff9b:0:0:0:0"]);

/** The unit of counting: an IPv4 address, also within an IPv6 address, or a /64 of IPv6, the least that one subscriber controls (RFC 6177). */
export function addressGroup(address: string): string {
  if (isIP(address) !== 6) return address;
  const [head = "", tail] = address.replace(/%.*$/, "").split("::");
  const left = groups(head);
  const right = tail === undefined ? [] : groups(tail);
  const all = [...left, ...Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => 0), ...right];
  const text = (end: number): string =>
    all
      .slice(0, end)
      .map((group) => group.toString(16))
      .join(":");
  if (withIPv4.has(text(6)))
    return all
      .slice(6)
      .flatMap((group) => [group >> 8, group & 0xff])
      .join(".");
  return `${text(4)}::/64`;
}

/** The 16-bit numbers of a part without "::". A dotted tail, as in ::1.2.3.4, is two of them. */
function groups(part: string): number[] {
  if (part === "") return [];
  return part.split(":").flatMap((group) => {
    if (!group.includes(".")) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split(".").map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}
