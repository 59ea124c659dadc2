import { createHash, generateKeyPairSync } from "node:crypto";
import { z } from "zod";
import type { ResourceKind } from "../shared/resource-kind.ts";

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
