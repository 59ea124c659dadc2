import { auditVariables } from "../../audit-variables.ts";
import { backendOnlyHeader, hasuraSecretHeaders, roleVariable } from "../../auth/session.ts";
import type { Session } from "../../engine.ts";
import { EngineError } from "../../errors.ts";

/** Values that HTTP would refuse or trim (RFC 9110, 5.5): Hasura would then use another value than the token has. */
const unsafe = /^\s|\s$|\p{Cc}/u;

/** Hasura obeys these headers; from a token they must have no effect. */
const obeyed: ReadonlySet<string> = new Set([backendOnlyHeader, ...hasuraSecretHeaders]);

/** A verified session as headers for Hasura, which trusts them by the admin secret. @throws EngineError for a value that would change */
export function sessionHeaders(
  session: Session,
  adminSecret: string,
  request: Parameters<typeof auditVariables>[1] = {},
): Record<string, string> {
  const headers: Record<string, string> = { "x-hasura-admin-secret": adminSecret };
  const own = Object.entries(auditVariables(session, request));
  for (const [name, value] of [[roleVariable, session.role] as const, ...session.variables, ...own]) {
    if (obeyed.has(name)) continue;
    if (unsafe.test(value))
      throw new EngineError({
        code: "jwt-invalid-claims",
        message: `the session variable ${name} has spaces around its value, or control characters`,
      });
    // Header values are bytes; Hasura reads UTF-8.
    headers[name] = Buffer.from(value, "utf8").toString("latin1");
  }
  return headers;
}
