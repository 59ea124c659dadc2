import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  webcrypto,
} from "node:crypto";
import { z } from "zod";
import type { ResourceKind } from "../shared/provider.ts";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

export interface SigningKeys {
  readonly privateKey: webcrypto.CryptoKey;
  readonly publicKey: webcrypto.CryptoKey;
  readonly algorithm: typeof algorithm;
}

/** Both halves of a private key in PEM form (SEC 1 or PKCS #8). */
export async function signingKeys(pem: string): Promise<SigningKeys> {
  const key = createPrivateKey(pem);
  if (key.asymmetricKeyDetails?.namedCurve !== "prime256v1")
    throw new Error("the stand-in tls provider signs with ECDSA keys on P-256 only");
  const imported = (format: "pkcs8" | "spki", der: KeyObject, use: "sign" | "verify"): Promise<webcrypto.CryptoKey> =>
    webcrypto.subtle.importKey(format, der.export({ type: format, format: "der" }), algorithm, true, [use]);
  return {
    algorithm,
    privateKey: await imported("pkcs8", key, "sign"),
    publicKey: await imported("spki", createPublicKey(key), "verify"),
  };
}

const inputs = z.strictObject({
  algorithm: z.literal("ECDSA", { error: "the stand-in tls provider supports only the algorithm ECDSA" }),
  ecdsaCurve: z.literal("P256", { error: "the stand-in tls provider supports only the curve P256" }),
});

/** PrivateKey of the tls provider: SEC 1 and PKCS #8 forms. */
export const privateKey: ResourceKind<z.infer<typeof inputs>> = {
  inputs,
  schemaVersion: 1,
  defaults: { ecdsaCurve: "P256", rsaBits: 2048 },
  secretOutputs: ["privateKeyPem", "privateKeyPemPkcs8"],
  async create() {
    const { privateKey: key, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const publicKeyPem = publicKey.export({ type: "spki", format: "pem" }) as string;
    return {
      id: createHash("sha1")
        .update(publicKey.export({ type: "spki", format: "der" }))
        .digest("hex"),
      outputs: {
        privateKeyPem: key.export({ type: "sec1", format: "pem" }),
        privateKeyPemPkcs8: key.export({ type: "pkcs8", format: "pem" }),
        publicKeyPem,
      },
    };
  },
};
