import { isIP } from "node:net";

/**
 * The client's address. The gateway sets X-Forwarded-For to the one address it sees. Of a list, only the last
 * entry is trusted, because the gateway wrote it.
 */
export function clientAddress(forwardedFor: string | string[] | undefined, peer: string | undefined): string {
  const last = (Array.isArray(forwardedFor) ? forwardedFor.join(",") : (forwardedFor ?? "")).split(",").at(-1)?.trim() ?? "";
  const address = isIP(last) > 0 ? last : (peer ?? "");
  return address.replace(/^::ffff:(?=\d+\.)/i, "").replace(/%.*$/, "");
}
