import type { KeyObject } from "node:crypto";
import { SignJWT } from "jose";
import jsonwebtoken from "jsonwebtoken";
import type { PublicJwk } from "../keys/signing-key.ts";

/**
 * Compact JWS (RFC 7515, 3.1) of the claims with header alg, typ and kid. jsonwebtoken is several times faster than jose, but
 * does not support EdDSA.
 */
export async function signToken(claims: object, { alg, kid }: PublicJwk, privateKey: KeyObject): Promise<string> {
  if (alg === "EdDSA") return new SignJWT({ ...claims }).setProtectedHeader({ alg, typ: "JWT", kid }).sign(privateKey);
  return jsonwebtoken.sign(claims, privateKey, { algorithm: alg, keyid: kid });
}
