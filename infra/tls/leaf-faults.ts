import "reflect-metadata";
import type { X509Certificate } from "node:crypto";
import {
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509Certificate as Extended,
} from "@peculiar/x509";
import { nameOf } from "./path-faults.ts";

/** A certificate that asks servers for OCSP stapling, called must-staple (RFC 7633). */
const tlsFeatures = "1.3.6.1.5.5.7.1.24";

/** As Node writes bytes that no host name has. */
const notAscii = /\\u00[0-9a-f]{2}/i;

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
          : notAscii.test(leaf.subjectAltName ?? "")
            ? "has a name with characters outside of ASCII, which browsers refuse: names with them are in the form xn--"
            : undefined;
  return fault && `has the certificate ${nameOf(leaf.subject)}, which ${fault}. Order a new certificate`;
}

const day = 86_400_000;
const mostDays = 825;
const serverUse = "1.3.6.1.5.5.7.3.1";

/** Why Safari and other programs of macOS and iOS refuse an accepted certificate (support.apple.com/103769); undefined if nothing is found. */
export function appleFault(leaf: X509Certificate): string | undefined {
  const days = Math.round((leaf.validToDate.getTime() - leaf.validFromDate.getTime()) / day);
  const extended = read(leaf);
  const fault =
    days > mostDays
      ? `is valid for ${days} days, more than ${mostDays}`
      : extended?.getExtension(ExtendedKeyUsageExtension)?.usages.includes(serverUse) !== true
        ? "lacks the extended key usage of servers (serverAuth)"
        : extended.subject === "" && extended.getExtension(SubjectAlternativeNameExtension)?.critical === false
          ? "has no subject, and names that are not critical"
          : undefined;
  return fault && `the certificate ${nameOf(leaf.subject)} ${fault}`;
}
