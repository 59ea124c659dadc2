import type { RequestHeaders } from "../auth/request-headers.ts";

/** Origins whose pages may read replies. */
export interface CorsPolicy {
  allows(origin: string): boolean;
  readonly isOpen: boolean;
}

/** A wildcard is valid only at the front, with or without a port. Applications and extensions have schemes of their own. */
const domain = /^([A-Za-z0-9+.-]+):\/\/(\*\.)?([A-Za-z0-9_.-]+|\[[0-9A-Fa-f:]+\])(?::(\d{1,5}))?$/;

interface Wildcard {
  readonly scheme: string;
  /** Domain after the wildcard label. */
  readonly rest: string;
}

/** Parses HASURA_GRAPHQL_CORS_DOMAIN: `*`, or origins; a leading `*.` matches any single label. @throws Error naming the invalid entry */
export function readCorsPolicy(text: string): CorsPolicy {
  const parts = text.split(",").map((part) => part.trim());
  if (parts.includes("*")) return { allows: () => true, isOpen: true };
  const exact = new Set<string>();
  const wildcards: Wildcard[] = [];
  for (const part of parts) {
    const match = domain.exec(part);
    if (match === null)
      throw new Error(`${JSON.stringify(part)} is not an origin such as https://example.org or https://*.example.org`);
    const [, written = "", wildcard, host = "", port] = match;
    const scheme = written.toLowerCase();
    const rest = `${host.toLowerCase()}${port === undefined ? "" : `:${port}`}`;
    if (wildcard === undefined) exact.add(`${scheme}://${rest}`);
    else wildcards.push({ scheme, rest });
  }
  return {
    isOpen: false,
    allows(origin) {
      const given = origin.toLowerCase();
      if (exact.has(given)) return true;
      const [scheme, host = ""] = given.split("://", 2);
      const dot = host.indexOf(".");
      return (
        dot > 0 && wildcards.some((wildcard) => wildcard.scheme === scheme && wildcard.rest === host.slice(dot + 1))
      );
    },
  };
}

const methods = "GET,POST,PUT,PATCH,DELETE,OPTIONS";

/** Time in seconds for which a browser may cache the reply to a preflight. */
const preflightAge = "1728000";

/** Headers of a reply to a page of another origin; none without an origin, or for a rejected one. */
export function corsHeaders(
  policy: CorsPolicy | undefined,
  { origin }: RequestHeaders,
): Readonly<Record<string, string>> | undefined {
  if (policy === undefined || origin === undefined || !policy.allows(origin)) return undefined;
  return {
    "access-control-allow-origin": origin,
    "access-control-allow-credentials": "true",
    "access-control-allow-methods": methods,
    vary: "Origin",
  };
}

/** Headers of a reply to OPTIONS, in addition to {@link corsHeaders}: allows every requested header. */
export function preflightHeaders(headers: RequestHeaders): Readonly<Record<string, string>> {
  const wanted = headers["access-control-request-headers"];
  return {
    "access-control-max-age": preflightAge,
    "access-control-allow-headers": typeof wanted === "string" ? wanted : "",
  };
}
