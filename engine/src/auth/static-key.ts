import { createPublicKey, createSecretKey, type KeyObject } from "node:crypto";
import type { KeyType } from "./jwt-settings.ts";

const secretBytes: Partial<Record<KeyType, number>> = { HS256: 32, HS384: 48, HS512: 64 };
const curves: Partial<Record<KeyType, string>> = { ES256: "prime256v1", ES384: "secp384r1", ES512: "secp521r1" };

/**
 * The verification key from `key` of HASURA_GRAPHQL_JWT_SECRET: the bytes of an HMAC secret, or a PEM public key or X.509 certificate.
 * Rejects secrets shorter than their hash (RFC 7518 section 3.2), RSA keys under 2048 bits, keys of another type and private keys.
 * @throws Error that never repeats the key.
 */
export function importStaticKey(type: KeyType, key: string): KeyObject {
  const needed = secretBytes[type];
  if (needed !== undefined) {
    const bytes = Buffer.from(key, "utf8");
    if (bytes.length < needed) throw new Error(`key: ${type} needs at least ${String(needed)} bytes`);
    return createSecretKey(bytes);
  }
  if (key.includes("PRIVATE KEY")) throw new Error("key: must be a public key or a certificate, not a private key");
  const publicKey = parsePublicKey(key);
  const problem = typeProblem(type, publicKey);
  if (problem !== undefined) throw new Error(`key: ${problem}`);
  return publicKey;
}

function parsePublicKey(pem: string): KeyObject {
  try {
    return createPublicKey(pem);
  } catch {
    throw new Error("key: is not a PEM public key or certificate");
  }
}

function typeProblem(type: KeyType, key: KeyObject): string | undefined {
  if (type.startsWith("RS")) {
    if (key.asymmetricKeyType !== "rsa") return `${type} needs an RSA key`;
    return (key.asymmetricKeyDetails?.modulusLength ?? 0) < 2048 ? "RSA keys need at least 2048 bits" : undefined;
  }
  if (type === "Ed25519") return key.asymmetricKeyType === "ed25519" ? undefined : "Ed25519 needs an Ed25519 key";
  return key.asymmetricKeyDetails?.namedCurve === curves[type]
    ? undefined
    : `${type} needs a key on the curve ${String(curves[type])}`;
}
