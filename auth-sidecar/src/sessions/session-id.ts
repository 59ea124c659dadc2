import { hash, randomBytes } from "node:crypto";

/** 256 random bits, base64url: 43 characters. */
export function newSessionId(): string {
  return randomBytes(32).toString("base64url");
}

export function isSessionId(value: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(value);
}

/** Digest under which the store keeps a session, so that a copy of the store opens no session. */
export function sessionDigest(id: string): string {
  return hash("sha256", id, "base64url");
}
