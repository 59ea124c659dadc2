import { backendOnlyHeader, roleVariable } from "../../auth/session.ts";
import type { Session } from "../../engine.ts";
import { EngineError } from "../../errors.ts";

/** Values that HTTP would refuse or trim (RFC 9110, 5.5): Hasura would then use another value than the token has. */
const unsafe = /^\s|\s$|\p{Cc}/u;

/** A verified session as headers for Hasura, which trusts them by the admin secret. @throws EngineError for a value that would change */
export function sessionHeaders({ role, variables }: Session, adminSecret: string): Record<string, string> {
  const headers: Record<string, string> = { "x-hasura-admin-secret": adminSecret };
  for (const [name, value] of [[roleVariable, role] as const, ...variables]) {
    // With the admin secret Hasura obeys this header; from a token it must have no effect.
    if (name === backendOnlyHeader) continue;
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
