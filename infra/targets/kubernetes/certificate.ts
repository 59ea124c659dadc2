import { isIP } from "node:net";
import { CustomResource } from "@pulumi/kubernetes/apiextensions/index.js";
import type { Resource } from "@pulumi/pulumi";
import type { ForeignFiles } from "./files.ts";
import { metadataOf } from "./scope.ts";
import type { Scope } from "./scope.ts";

/** Source of the gateway's certificate in the cluster: an issuer of cert-manager, or an existing Secret. */
export type CertificateSource =
  | { readonly issuer: string; readonly kind: string; readonly publicHost: string }
  | { readonly secret: string };

const secretName = "gateway-certificate";

/** Paths at which the gateway expects the fields of a Secret of type kubernetes.io/tls. */
const paths = { "tls.crt": "tls/certificate.pem", "tls.key": "tls/private-key.pem" };

/** Spec of cert-manager's Certificate. */
function certificateSpec({ issuer, kind, publicHost }: Extract<CertificateSource, { issuer: string }>) {
  return {
    secretName,
    ...(isIP(publicHost) === 0 ? { dnsNames: [publicHost] } : { ipAddresses: [publicHost] }),
    privateKey: { algorithm: "ECDSA", size: 256, rotationPolicy: "Always" },
    usages: ["digital signature", "server auth"],
    issuerRef: { group: "cert-manager.io", kind, name: issuer },
  };
}

/** The gateway's certificate from the cluster; the gateway loads a renewed one by itself. */
export function clusterCertificate(
  source: CertificateSource,
  scope: Scope,
  parent: Resource,
): { readonly files: ForeignFiles; readonly ready: readonly Resource[] } {
  if ("secret" in source) return { files: { secretName: source.secret, paths }, ready: [] };
  const certificate = new CustomResource(
    scope.named("gateway-certificate"),
    {
      apiVersion: "cert-manager.io/v1",
      kind: "Certificate",
      metadata: {
        ...metadataOf("gateway", "gateway", scope),
        annotations: { "pulumi.com/waitFor": "condition=Ready" },
      },
      spec: certificateSpec(source),
    },
    { parent },
  );
  return { files: { secretName, paths }, ready: [certificate] };
}
