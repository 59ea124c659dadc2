import { isIPv4, isIPv6 } from "node:net";

/** Whether the text is an address with a prefix length that Postgres' inet accepts. Bits beyond the length may be set. */
export function isPrefix(text: string): boolean {
  const slash = text.indexOf("/");
  if (slash < 0) return false;
  const address = text.slice(0, slash);
  const length = text.slice(slash + 1);
  if (!/^(?:0|[1-9]\d{0,2})$/.test(length)) return false;
  if (isIPv4(address)) return Number(length) <= 32;
  return isIPv6(address) && !address.includes("%") && Number(length) <= 128;
}

const LARGEST = 4_294_967_295; // RFC 6793: four octets

/** An AS number in plain decimal notation (RFC 5396), or undefined. */
export function parseAsNumber(text: string): number | undefined {
  if (!/^(?:0|[1-9]\d{0,9})$/.test(text)) return undefined;
  const number = Number(text);
  return number <= LARGEST ? number : undefined;
}

export function isAsNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= LARGEST;
}
