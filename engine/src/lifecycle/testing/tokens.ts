import { createHmac, generateKeyPairSync, type KeyObject } from "node:crypto";
import { SignJWT, type JWTPayload } from "jose";
import { defaultClaimsNamespace } from "../../auth/jwt-settings.ts";

/** The fixed time of the tests: 2026-01-01T00:00:00Z, in milliseconds. */
export const frozenNow = Date.UTC(2026, 0, 1);
export const frozenSeconds = frozenNow / 1000;
export const issuer = "https://issuer.example";
export const audience = "routeql";
export const hmacSecret = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

export const keyPairs = {
  rsa: generateKeyPairSync("rsa", { modulusLength: 2048 }),
  foreignRsa: generateKeyPairSync("rsa", { modulusLength: 2048 }),
  p256: generateKeyPairSync("ec", { namedCurve: "P-256" }),
  foreignP256: generateKeyPairSync("ec", { namedCurve: "P-256" }),
  p384: generateKeyPairSync("ec", { namedCurve: "P-384" }),
  p521: generateKeyPairSync("ec", { namedCurve: "P-521" }),
  ed25519: generateKeyPairSync("ed25519"),
};

export function pem(key: KeyObject): string {
  return key.export({ type: "spki", format: "pem" }).toString();
}

/** Claims that every check accepts. */
export function goodClaims(hasura: Readonly<Record<string, unknown>> = {}): JWTPayload {
  return {
    iss: issuer,
    aud: audience,
    sub: "user-1",
    iat: frozenSeconds,
    nbf: frozenSeconds,
    exp: frozenSeconds + 900,
    [defaultClaimsNamespace]: {
      "x-hasura-allowed-roles": ["viewer", "analyst"],
      "x-hasura-default-role": "viewer",
      "x-hasura-user-id": "user-1",
      ...hasura,
    },
  };
}

export function sign(
  payload: JWTPayload,
  algorithm: string,
  key: KeyObject | Uint8Array,
  kid?: string,
): Promise<string> {
  return new SignJWT(payload).setProtectedHeader({ alg: algorithm, kid }).sign(key);
}

export function encodeSegment(value: unknown): string {
  return Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");
}

/** A token that no correct library would create: any header, signed with HMAC over any bytes, or unsigned. */
export function forge(header: unknown, payload: unknown, secret?: string | Buffer): string {
  const input = `${encodeSegment(header)}.${encodeSegment(payload)}`;
  return `${input}.${secret === undefined ? "" : createHmac("sha256", secret).update(input).digest("base64url")}`;
}
