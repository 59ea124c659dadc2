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

type Algorithm = { readonly name: "ECDSA"; readonly namedCurve: string; readonly hash: string };

const algorithms: Readonly<Record<string, Algorithm>> = {
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
  const algorithm = algorithms[key.asymmetricKeyDetails?.namedCurve ?? ""];
  if (!algorithm) throw new Error("the stand-in tls provider signs with ECDSA keys on P-256, P-384 and P-521 only");
  const imported = (format: "pkcs8" | "spki", der: KeyObject, use: "sign" | "verify"): Promise<webcrypto.CryptoKey> =>
    webcrypto.subtle.importKey(format, der.export({ type: format, format: "der" }), algorithm, true, [use]);
  return {
    algorithm,
    privateKey: await imported("pkcs8", key, "sign"),
    publicKey: await imported("spki", createPublicKey(key), "verify"),
  };
}

const curves = { P256: "P-256", P384: "P-384", P521: "P-521" } as const;

const inputs = z.strictObject({
  algorithm: z.literal("ECDSA", { error: "the stand-in tls provider supports only the algorithm ECDSA" }),
  ecdsaCurve: z.enum(["P256", "P384", "P521"]).optional(),
});

/** PrivateKey of the tls provider: SEC 1 and PKCS #8 forms; the curve's default is P256 here (the real provider's is P224). */
export const privateKey: ResourceKind<z.infer<typeof inputs>> = {
  inputs,
  secretOutputs: ["privateKeyPem", "privateKeyPemPkcs8"],
  async create({ ecdsaCurve = "P256" }) {
    const { privateKey: key, publicKey } = generateKeyPairSync("ec", { namedCurve: curves[ecdsaCurve] });
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
