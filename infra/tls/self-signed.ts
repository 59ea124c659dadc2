import { isIP } from "node:net";
import { interpolate, secret } from "@pulumi/pulumi";
import type { Input, Resource } from "@pulumi/pulumi";
import { derive } from "../inputs.ts";
import { CertRequest, LocallySignedCert, PrivateKey, SelfSignedCert } from "@pulumi/tls";
import type { ResourceNames } from "../resource-names.ts";
import type { GatewayCertificate } from "./certificate.ts";

const day = 24;
/** Long, because clients store the authority. */
const authorityHours = 10 * 365 * day;
/** Mozilla's guidelines (6.0) allow at most 366 days. */
const certificateHours = 365 * day;
/** An update in the last weeks of the certificate renews it with the same authority. */
const renewalHours = 60 * day;

/** Local names of a stack on this machine, in addition to its public name. */
const localNames = ["localhost"];
const localAddresses = ["127.0.0.1", "::1"];

export function subjectNames(publicHost: string): { dnsNames: string[]; ipAddresses: string[] } {
  const isAddress = isIP(publicHost) !== 0;
  return {
    dnsNames: [...new Set(isAddress ? localNames : [publicHost, ...localNames])],
    ipAddresses: [...new Set(isAddress ? [publicHost, ...localAddresses] : localAddresses)],
  };
}

export interface SelfSignedScope {
  /** Generation of the gateway's key, from 1. */
  readonly generation?: number;
  readonly stack: string;
  readonly named: ResourceNames;
}

/** The stack's own authority (ECDSA P-256) and a certificate signed by it; both are created once and kept. */
export function selfSigned(
  publicHost: Input<string>,
  { stack, named, generation = 1 }: SelfSignedScope,
  parent: Resource,
): GatewayCertificate {
  const key = (name: string): PrivateKey =>
    new PrivateKey(
      named(name),
      { algorithm: "ECDSA", ecdsaCurve: "P256" },
      { parent, additionalSecretOutputs: ["privateKeyPem"] },
    );

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
  const gatewayKey = key(generation === 1 ? "gateway-key" : `gateway-key-${generation}`);
  const request = new CertRequest(
    named("gateway-request"),
    {
      privateKeyPem: gatewayKey.privateKeyPem,
      subject: { commonName: publicHost, organization: "RouteQL" },
      dnsNames: derive(publicHost, (host) => subjectNames(host).dnsNames),
      ipAddresses: derive(publicHost, (host) => subjectNames(host).ipAddresses),
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
