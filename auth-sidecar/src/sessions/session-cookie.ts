import { parseCookie, stringifySetCookie } from "cookie";
import { isSessionId } from "./session-id.ts";

const attributes = { name: "sid", path: "/api/auth", httpOnly: true, secure: true, sameSite: "strict" } as const;

/** Set-Cookie value of a new session. The browser keeps it until it closes; the server enforces the limits. */
export function sessionCookie(id: string): string {
  return stringifySetCookie({ ...attributes, value: id });
}

/** Set-Cookie value that deletes the cookie. */
export function clearedSessionCookie(): string {
  return stringifySetCookie({ ...attributes, value: "", maxAge: 0 });
}

/** The session id in a Cookie header (RFC 6265, 5.4), or undefined without a valid one. */
export function presentedSessionId(header: string | undefined): string | undefined {
  const id = parseCookie(header ?? "", { decode: (value) => value })["sid"];
  return id !== undefined && isSessionId(id) ? id : undefined;
}
