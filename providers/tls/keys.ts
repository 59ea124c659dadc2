import { createPrivateKey, createPublicKey, type KeyObject, webcrypto } from "node:crypto";

type Algorithm = { readonly name: "ECDSA"; readonly namedCurve: string; readonly hash: string };

const curves: Readonly<Record<string, Algorithm>> = {
  prime256v1: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  secp384r1: { name: "ECDSA", namedCurve: "P-384", hash: "SHA-384" },
  secp521r1: { name: "ECDSA", namedCurve: "P-521", hash: "SHA-512" },
};

export interface SigningKeys {
  readonly privateKey: webcrypto.CryptoKey;
  readonly publicKey: webcrypto.CryptoKey;
  readonly algorithm: Algorithm;
}

/** Both halves of a private key in PEM form (SEC 1 or PKCS #8). */
export async function signingKeys(pem: string): Promise<SigningKeys> {
  const key = createPrivateKey(pem);
  const algorithm = curves[key.asymmetricKeyDetails?.namedCurve ?? ""];
  if (!algorithm) throw new Error("the stand-in tls provider signs with ECDSA keys on P-256, P-384 and P-521 only");
  const imported = (format: "pkcs8" | "spki", der: KeyObject, use: "sign" | "verify"): Promise<webcrypto.CryptoKey> =>
    webcrypto.subtle.importKey(format, der.export({ type: format, format: "der" }), algorithm, true, [use]);
  return {
    algorithm,
    privateKey: await imported("pkcs8", key, "sign"),
    publicKey: await imported("spki", createPublicKey(key), "verify"),
  };
}
