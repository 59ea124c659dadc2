import { auditVariables } from "../../audit-variables.ts";
import { backendOnlyHeader, hasuraSecretHeaders, roleVariable } from "../../auth/session.ts";
import type { Session } from "../../engine.ts";
import { EngineError } from "../../errors.ts";

/** Values that HTTP would refuse or trim (RFC 9110, 5.5): Hasura would then use another value than the token has. */
const unsafe = /^\s|\s$|\p{Cc}/u;

/** RFC 9110, 5.1. No request can carry other names, so a permission that needs such a variable grants nothing. */
const headerName = /^[\w!#$%&'*+.^`|~-]+$/;

/** Hasura closes the connection for headers of 50 KiB together, which would look like an outage. */
const longest = 40 * 1024;

/** Hasura obeys these headers; from a token they must have no effect. */
const obeyed: ReadonlySet<string> = new Set([backendOnlyHeader, ...hasuraSecretHeaders]);

/** A verified session as headers for Hasura, which trusts them by the admin secret. @throws EngineError for a value that would change */
export function sessionHeaders(
  session: Session,
  adminSecret: string,
  request: Parameters<typeof auditVariables>[1] = {},
): Record<string, string> {
  const headers: Record<string, string> = { "x-hasura-admin-secret": adminSecret };
  let length = 0;
  const own = Object.entries(auditVariables(session, request));
  for (const [name, value] of [[roleVariable, session.role] as const, ...session.variables, ...own]) {
    if (obeyed.has(name) || !headerName.test(name)) continue;
    if (unsafe.test(value) || !value.isWellFormed())
      throw invalid(`the session variable ${name} has spaces around its value, or characters that no header carries`);
    // Header values are bytes; Hasura reads UTF-8.
    const bytes = Buffer.from(value, "utf8").toString("latin1");
    headers[name] = bytes;
    length += name.length + bytes.length;
    if (length > longest) throw invalid(`the session variables are longer than ${longest / 1024} KiB together`);
  }
  return headers;
}

const invalid = (message: string): EngineError => new EngineError({ code: "jwt-invalid-claims", message });
