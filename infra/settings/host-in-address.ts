import { isIPv6 } from "node:net";

/** A host as it stands in an address: IPv6 addresses in brackets (RFC 3986, 3.2.2). */
export const hostInAddress = (host: string): string => (isIPv6(host) ? `[${host}]` : host);
