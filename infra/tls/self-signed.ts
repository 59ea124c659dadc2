import { isIP } from "node:net";
import { interpolate, secret } from "@pulumi/pulumi";
import type { Resource } from "@pulumi/pulumi";
import { CertRequest, LocallySignedCert, PrivateKey, SelfSignedCert } from "@pulumi/tls";
import type { ResourceNames } from "../components/resource-names.ts";
import type { GatewayCertificate } from "./certificate.ts";

const day = 24;
/** Clients keep the authority, so it has to last. */
const authorityHours = 10 * 365 * day;
/** Most that Mozilla's guidelines (6.0) allow for a certificate is 366 days. */
const certificateHours = 365 * day;
/** An update in the last weeks of the certificate makes a new one, under the same authority. */
const renewalHours = 60 * day;

/** Local names by which a stack on this machine is reached, whatever its public name. */
const localNames = ["localhost"];
const localAddresses = ["127.0.0.1", "::1"];

/** The names and addresses that the certificate is for. */
export function subjectNames(publicHost: string): { dnsNames: string[]; ipAddresses: string[] } {
  const isAddress = isIP(publicHost) !== 0;
  return {
    dnsNames: [...new Set(isAddress ? localNames : [publicHost, ...localNames])],
    ipAddresses: [...new Set(isAddress ? [publicHost, ...localAddresses] : localAddresses)],
  };
}

export interface SelfSignedScope {
  readonly stack: string;
  readonly named: ResourceNames;
}

/** An authority of the stack's own (ECDSA P-256) and a certificate that it signed; both are made once and kept. */
export function selfSigned(publicHost: string, { stack, named }: SelfSignedScope, parent: Resource): GatewayCertificate {
  const key = (name: string): PrivateKey =>
    new PrivateKey(named(name), { algorithm: "ECDSA", ecdsaCurve: "P256" }, { parent, additionalSecretOutputs: ["privateKeyPem"] });

  const authorityKey = key("authority-key");
  const authority = new SelfSignedCert(
    named("authority"),
    {
      privateKeyPem: authorityKey.privateKeyPem,
      subject: { commonName: `RouteQL ${stack}`, organization: "RouteQL" },
      isCaCertificate: true,
      setSubjectKeyId: true,
      validityPeriodHours: authorityHours,
      allowedUses: ["cert_signing", "crl_signing"],
    },
    { parent },
  );
  const gatewayKey = key("gateway-key");
  const request = new CertRequest(
    named("gateway-request"),
    {
      privateKeyPem: gatewayKey.privateKeyPem,
      subject: { commonName: publicHost, organization: "RouteQL" },
      ...subjectNames(publicHost),
    },
    { parent },
  );
  const certificate = new LocallySignedCert(
    named("gateway-certificate"),
    {
      certRequestPem: request.certRequestPem,
      caPrivateKeyPem: authorityKey.privateKeyPem,
      caCertPem: authority.certPem,
      validityPeriodHours: certificateHours,
      earlyRenewalHours: renewalHours,
      setSubjectKeyId: true,
      allowedUses: ["digital_signature", "server_auth"],
    },
    { parent },
  );
  return {
    certificate: interpolate`${certificate.certPem}${authority.certPem}`,
    privateKey: secret(gatewayKey.privateKeyPem),
    caCertificate: authority.certPem,
  };
}
