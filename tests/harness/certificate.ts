import "reflect-metadata";
import { isIP } from "node:net";
import {
  BasicConstraintsExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";

/** Key and certificate as PEM; the certificate is self-signed. */
export interface TestCertificate {
  readonly certificate: string;
  readonly privateKey: string;
}

const kinds = {
  ecdsa: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  rsa: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256", publicExponent: new Uint8Array([1, 0, 1]), modulusLength: 2048 },
} as const;

/** A certificate for localhost, and optionally for another host or address, that expires within one hour. */
export async function makeCertificate(kind: keyof typeof kinds = "ecdsa", host?: string): Promise<TestCertificate> {
  const algorithm = kinds[kind];
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const now = Date.now();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: "01",
    name: "CN=localhost",
    notBefore: new Date(now - 60_000),
    notAfter: new Date(now + 3_600_000),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new SubjectAlternativeNameExtension([
        { type: "dns", value: "localhost" },
        { type: "ip", value: "127.0.0.1" },
        ...(host === undefined ? [] : [{ type: isIP(host) === 0 ? ("dns" as const) : ("ip" as const), value: host }]),
      ]),
    ],
  });
  const privateKey = PemConverter.encode(await crypto.subtle.exportKey("pkcs8", keys.privateKey), "PRIVATE KEY");
  return { certificate: certificate.toString("pem"), privateKey };
}
