import { isIP } from "node:net";

/**
 * The client's address. The gateway sets X-Forwarded-For to the one address it saw; should a list ever come, only the last
 * entry was written by the part next to this one, so only that is believed.
 */
export function clientAddress(forwardedFor: string | string[] | undefined, peer: string | undefined): string {
  const last = (Array.isArray(forwardedFor) ? forwardedFor.join(",") : (forwardedFor ?? "")).split(",").at(-1)?.trim() ?? "";
  const address = isIP(last) > 0 ? last : (peer ?? "");
  return address.replace(/^::ffff:(?=\d+\.)/i, "").replace(/%.*$/, "");
}
