import { isIP } from "node:net";

/** The unit of counting: an IPv4 address, also an IPv4-mapped one, or a /64 of IPv6, the least that one subscriber controls (RFC 6177). */
export function addressGroup(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped?.[1] !== undefined) return mapped[1];
  if (isIP(address) !== 6) return address;
  const [head = "", tail] = address.replace(/%.*$/, "").split("::");
  const left = groups(head);
  const right = tail === undefined ? [] : groups(tail);
  const all = [...left, ...Array.from({ length: Math.max(0, 8 - left.length - right.length) }, () => "0"), ...right];
  return `${all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(":")}::/64`;
}

function groups(part: string): string[] {
  // A dotted tail (::1.2.3.4) fills two groups; it never reaches the first four.
  return part === "" ? [] : part.split(":").flatMap((group) => (group.includes(".") ? ["0", "0"] : [group]));
}
