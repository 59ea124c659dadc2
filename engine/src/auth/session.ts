import type { Session } from "../engine.ts";
import { forwardedFor, headerValue, type RequestHeaders } from "./request-headers.ts";

/** Hasura's role without restrictions. */
export const adminRole = "admin";
export const roleVariable = "x-hasura-role";
export const sessionVariablePrefix = "x-hasura-";

/** With the admin secret, permissions apply that are `backend_only`. */
export const backendOnlyHeader = "x-hasura-use-backend-only-permissions";

/** Hasura's names of the headers that carry the admin secret; never session variables. */
export const hasuraSecretHeaders = ["x-hasura-admin-secret", "x-hasura-access-key"] as const;

/** A session with the given variables; `x-hasura-role` is always the role itself. */
export function createSession(
  role: string,
  variables: Iterable<readonly [string, string]>,
  origin: Pick<Session, "client" | "credential"> = {},
): Session {
  const all = new Map<string, string>(variables);
  all.set(roleVariable, role);
  return { role, variables: all, isAdmin: role === adminRole, ...origin };
}

export interface HeaderRules {
  /** Names of headers that carry the admin secret; never variables. */
  readonly secretHeaders: ReadonlySet<string>;
  /** The only variables that a client may set; default: all. */
  readonly allowed?: ReadonlySet<string> | undefined;
  /** {@link Session.credential} */
  readonly credential?: string;
}

/** Session variables from the request's own headers, for the admin secret and the unauthorized role. Each address is a client. */
export function sessionFromHeaders(
  role: string,
  headers: RequestHeaders,
  { secretHeaders, allowed, credential }: HeaderRules,
): Session {
  const variables: [string, string][] = [];
  for (const name in headers) {
    if (!name.startsWith(sessionVariablePrefix) || secretHeaders.has(name)) continue;
    if (allowed !== undefined && !allowed.has(name)) continue;
    const value = headerValue(headers, name);
    if (value !== undefined) variables.push([name, value]);
  }
  const client = `address ${headerValue(headers, forwardedFor) ?? ""}`;
  return createSession(role, variables, credential === undefined ? { client } : { client, credential });
}
