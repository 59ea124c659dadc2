import { generateKeyPair, type KeyObject } from "node:crypto";
import { promisify } from "node:util";
import { calculateJwkThumbprint, exportJWK, type JWK } from "jose";

export const signingAlgorithm = "ES256";

/** A public key as the key set publishes it (RFC 7517): kty, crv, x, y and kid, alg, use. */
export type PublicJwk = Readonly<JWK & { kid: string; alg: string; use: "sig" }>;

export interface NewSigningKey {
  readonly publicJwk: PublicJwk;
  readonly privateKey: KeyObject;
}

/** A P-256 key for ES256 (RFC 7518, 3.4). Its id is its thumbprint (RFC 7638). */
export async function generateSigningKey(): Promise<NewSigningKey> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)("ec", { namedCurve: "P-256" });
  const jwk = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint(jwk, "sha256");
  return { publicJwk: { ...jwk, kid, alg: signingAlgorithm, use: "sig" }, privateKey };
}
