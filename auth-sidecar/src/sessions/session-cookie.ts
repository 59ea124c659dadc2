import { hash, randomBytes } from "node:crypto";
import { parseCookie, stringifySetCookie } from "cookie";

const attributes = { name: "sid", path: "/api/auth", httpOnly: true, secure: true, sameSite: "strict" } as const;

/** Set-Cookie value of a new session. The browser keeps it until it closes; the server enforces the limits. */
export function sessionCookie(id: string): string {
  return stringifySetCookie({ ...attributes, value: id });
}

export function clearedSessionCookie(): string {
  return stringifySetCookie({ ...attributes, value: "", maxAge: 0 });
}

/** The session id in a Cookie header (RFC 6265, 5.4), or undefined without a valid one. */
export function presentedSessionId(header: string | undefined): string | undefined {
  const id = parseCookie(header ?? "", { decode: (value) => value })["sid"];
  return id !== undefined && isSessionId(id) ? id : undefined;
}

/** 256 random bits, base64url: 43 characters. */
export function newSessionId(): string {
  return randomBytes(32).toString("base64url");
}

function isSessionId(value: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(value);
}

/** Digest under which the store keeps a session, so that a copy of the store opens no session. */
export function sessionDigest(id: string): string {
  return hash("sha256", id, "base64url");
}
