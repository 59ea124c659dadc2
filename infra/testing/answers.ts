import { randomBytes } from "node:crypto";

const pem = (label: string, name: string): string => `-----BEGIN ${label}-----\n${name}\n-----END ${label}-----\n`;

/** Minimal outputs of the official providers by resource type. */
export function answers(type: string, name: string): Record<string, unknown> {
  switch (type) {
    case "random:index/randomPassword:RandomPassword":
      return { result: `${name}-${randomBytes(24).toString("hex")}` };
    case "tls:index/privateKey:PrivateKey":
      return { privateKeyPem: pem("PRIVATE KEY", name) };
    case "tls:index/selfSignedCert:SelfSignedCert":
    case "tls:index/locallySignedCert:LocallySignedCert":
      return { certPem: pem("CERTIFICATE", name) };
    case "tls:index/certRequest:CertRequest":
      return { certRequestPem: pem("CERTIFICATE REQUEST", name) };
    case "docker:index/container:Container":
      return { exitCode: 0, containerLogs: "" };
    default:
      return {};
  }
}
