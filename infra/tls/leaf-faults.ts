import "reflect-metadata";
import type { X509Certificate } from "node:crypto";
import { KeyUsageFlags, KeyUsagesExtension, X509Certificate as Extended } from "@peculiar/x509";
import { nameOf } from "./path-faults.ts";

/** A certificate that asks servers for OCSP stapling, called must-staple (RFC 7633). */
const tlsFeatures = "1.3.6.1.5.5.7.1.24";

/** Undefined for a form that this stricter reader rejects; clients decide about it. */
function read(certificate: X509Certificate): Extended | undefined {
  try {
    return new Extended(certificate.raw);
  } catch {
    return undefined;
  }
}

/** Why browsers refuse a server's certificate that may be an issuer's, as the end of a sentence; undefined if nothing is found. */
export function faultOfLeaf(leaf: X509Certificate): string | undefined {
  const { namedCurve } = leaf.publicKey.asymmetricKeyDetails ?? {};
  const extended = read(leaf);
  const usage = extended?.getExtension(KeyUsagesExtension)?.usages ?? KeyUsageFlags.digitalSignature;
  const fault =
    namedCurve === "secp521r1"
      ? `has a key of the kind ${namedCurve}, which browsers refuse`
      : (usage & KeyUsageFlags.digitalSignature) === 0
        ? "has a key usage without digital signature, which browsers refuse"
        : extended?.getExtension(tlsFeatures)
          ? "needs OCSP stapling, which the gateway does not do"
          : undefined;
  return fault && `has the certificate ${nameOf(leaf.subject)}, which ${fault}. Order a new certificate`;
}
