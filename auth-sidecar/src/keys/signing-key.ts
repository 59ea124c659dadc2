import { generateKeyPair, type KeyObject } from "node:crypto";
import { promisify } from "node:util";
import { calculateJwkThumbprint, exportJWK, type JWK } from "jose";
import type { SigningAlgorithm } from "@routeql/sidecar-settings/token-algorithm";

/** A public key in the published key set (RFC 7517): its own members and kid, alg, use. */
export type PublicJwk = Readonly<JWK & { kid: string; alg: SigningAlgorithm; use: "sig" }>;

export interface NewSigningKey {
  readonly publicJwk: PublicJwk;
  readonly privateKey: KeyObject;
}

/** A key: P-256 for ES256, Ed25519 for EdDSA, 2048 bits for RS256. Its id never begins with a hyphen, which a command line would take. */
export async function generateSigningKey(algorithm: SigningAlgorithm): Promise<NewSigningKey> {
  const { publicKey, privateKey } = await generators[algorithm]();
  const jwk = await exportJWK(publicKey);
  const kid = await calculateJwkThumbprint(jwk, "sha256");
  if (kid.startsWith("-")) return generateSigningKey(algorithm);
  return { publicJwk: { ...jwk, kid, alg: algorithm, use: "sig" }, privateKey };
}

const generate = promisify(generateKeyPair);

const generators = {
  ES256: () => generate("ec", { namedCurve: "P-256" }),
  EdDSA: () => generate("ed25519"),
  RS256: () => generate("rsa", { modulusLength: 2048 }),
} as const satisfies Record<SigningAlgorithm, () => Promise<{ publicKey: KeyObject; privateKey: KeyObject }>>;
