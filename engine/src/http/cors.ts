import type { RequestHeaders } from "../auth/request-headers.ts";

/** Which pages of other origins may read answers. */
export interface CorsPolicy {
  /** Whether a page of this origin may. */
  allows(origin: string): boolean;
  /** Every origin may. */
  readonly isOpen: boolean;
}

/** Neither with a port nor without can a wildcard stand anywhere but in front. */
const domain = /^(https?):\/\/(\*\.)?([A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])(?::(\d{1,5}))?$/;

interface Wildcard {
  readonly scheme: string;
  /** What follows the one label that is free. */
  readonly rest: string;
}

/**
 * Reads HASURA_GRAPHQL_CORS_DOMAIN: `*`, or origins separated by commas, each with `*.` in front for any one label.
 * @throws Error that names the first that is none
 */
export function readCorsPolicy(text: string): CorsPolicy {
  const parts = text.split(",").map((part) => part.trim());
  if (parts.includes("*")) return { allows: () => true, isOpen: true };
  const exact = new Set<string>();
  const wildcards: Wildcard[] = [];
  for (const part of parts) {
    const match = domain.exec(part);
    if (match === null) throw new Error(`${JSON.stringify(part)} is not an origin such as https://example.org or https://*.example.org`);
    const [, scheme = "", wildcard, host = "", port] = match;
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
      return dot > 0 && wildcards.some((wildcard) => wildcard.scheme === scheme && wildcard.rest === host.slice(dot + 1));
    },
  };
}

const methods = "GET,POST,PUT,PATCH,DELETE,OPTIONS";

/** Seconds for which a browser may remember the answer to a preflight. */
const preflightAge = "1728000";

/** Headers for an answer to a page of another origin; none when there is no origin or it is not allowed. */
export function corsHeaders(policy: CorsPolicy | undefined, { origin }: RequestHeaders): Readonly<Record<string, string>> | undefined {
  if (policy === undefined || origin === undefined || !policy.allows(origin)) return undefined;
  return {
    "access-control-allow-origin": origin,
    "access-control-allow-credentials": "true",
    "access-control-allow-methods": methods,
    vary: "Origin",
  };
}

/** What an OPTIONS request is answered beside {@link corsHeaders}: every header that was asked for. */
export function preflightHeaders(headers: RequestHeaders): Readonly<Record<string, string>> {
  const wanted = headers["access-control-request-headers"];
  return { "access-control-max-age": preflightAge, "access-control-allow-headers": typeof wanted === "string" ? wanted : "" };
}
