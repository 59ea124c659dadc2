import { z } from "zod";

/** Signature algorithms (RFC 7518, 3.1; RFC 8037). All are asymmetric, so a verifier cannot create a token. */
export const signingAlgorithms = ["ES256", "EdDSA", "RS256"] as const;

export type SigningAlgorithm = (typeof signingAlgorithms)[number];

export const tokenAlgorithm = z
  .enum(signingAlgorithms, `must be one of ${signingAlgorithms.join(", ")}`)
  .default("ES256")
  .meta({
    description: "Signature algorithm of access tokens. A change rotates the signing key without rejected tokens.",
    allowed: signingAlgorithms.join(", "),
  });
