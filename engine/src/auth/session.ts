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

/** A session with the given variables; `x-hasura-role` is always the role itself. @param client {@link Session.client} */
export function createSession(role: string, variables: Iterable<readonly [string, string]>, client?: string): Session {
  const all = new Map<string, string>(variables);
  all.set(roleVariable, role);
  const session = { role, variables: all, isAdmin: role === adminRole };
  return client === undefined ? session : { ...session, client };
}

/** Session variables from the request's own headers, for the admin secret and the unauthorized role. Each address is a client. */
export function sessionFromHeaders(role: string, headers: RequestHeaders, secretHeaders: ReadonlySet<string>): Session {
  const variables: [string, string][] = [];
  for (const name in headers) {
    if (!name.startsWith(sessionVariablePrefix) || secretHeaders.has(name)) continue;
    const value = headerValue(headers, name);
    if (value !== undefined) variables.push([name, value]);
  }
  return createSession(role, variables, `address ${headerValue(headers, forwardedFor) ?? ""}`);
}
