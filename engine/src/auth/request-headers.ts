import type { IncomingHttpHeaders } from "node:http";

/** Headers by lower-case name, from Node for a request, or from the `connection_init` of a WebSocket client. */
export type RequestHeaders = Readonly<IncomingHttpHeaders>;

/** The gateway sets this header to the client address that it saw. */
export const forwardedFor = "x-forwarded-for";

/** The header's value. Headers with the same name are joined (RFC 9110 section 5.2). */
export function headerValue(headers: RequestHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}

/** Headers of a WebSocket: `connection_init` overrides the upgrade, as in Hasura. Only the upgrade gives the address. */
export function mergeHeaders(upgrade: RequestHeaders, init: Readonly<Record<string, unknown>>): RequestHeaders {
  const merged: IncomingHttpHeaders = Object.assign(Object.create(null) as IncomingHttpHeaders, upgrade);
  for (const [name, value] of Object.entries(init)) if (typeof value === "string") merged[name.toLowerCase()] = value;
  const address = upgrade[forwardedFor];
  if (address === undefined) delete merged[forwardedFor];
  else merged[forwardedFor] = address;
  return merged;
}

/** The named cookie of a Cookie header (RFC 6265 section 4.2.1), without surrounding quotes. */
export function cookieValue(header: string, name: string): string | undefined {
  for (const pair of header.split(";")) {
    const separator = pair.indexOf("=");
    if (separator > 0 && pair.slice(0, separator).trim() === name) {
      return pair
        .slice(separator + 1)
        .trim()
        .replace(/^"(.*)"$/, "$1");
    }
  }
  return undefined;
}
