import { parseCookie, stringifySetCookie } from "cookie";
import { isSessionId } from "./session-id.ts";

const attributes = { name: "sid", path: "/api/auth", httpOnly: true, secure: true, sameSite: "strict" } as const;

/** Value of Set-Cookie that hands out a session; it lives as long as the user agent, the limits are the server's. */
export function sessionCookie(id: string): string {
  return stringifySetCookie({ ...attributes, value: id });
}

/** Value of Set-Cookie that takes the session back. */
export function clearedSessionCookie(): string {
  return stringifySetCookie({ ...attributes, value: "", maxAge: 0 });
}

/** The session id in a Cookie header (RFC 6265, 5.4), or undefined when there is none of the right form. */
export function presentedSessionId(header: string | undefined): string | undefined {
  const id = parseCookie(header ?? "", { decode: (value) => value })["sid"];
  return id !== undefined && isSessionId(id) ? id : undefined;
}
