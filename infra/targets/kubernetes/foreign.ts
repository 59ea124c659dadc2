import { isIP } from "node:net";
import { CustomResource } from "@pulumi/kubernetes/apiextensions/index.js";
import type { Resource } from "@pulumi/pulumi";
import { derive } from "../../inputs.ts";
import { callEdges, type ServiceDescription, type ServiceName } from "../../description/service.ts";
import { clusterAuthority, clusterPart, makeCluster } from "./cloudnative-pg/cluster.ts";
import type { ForeignFiles } from "./files.ts";
import type { CertificateSource, KubernetesRun } from "./kubernetes-run.ts";
import type { ForeignPart } from "./network-rules.ts";
import { metadataOf, type Scope } from "./scope.ts";

/** Objects that operators of the cluster run for the stack: a database, the gateway's certificate. */
export interface Foreign {
  /** For the callers' network policies. */
  readonly parts: Partial<Record<ServiceName, ForeignPart>>;
  /** For dependent services. */
  readonly ready: Partial<Record<ServiceName, Resource>>;
  readonly filesFor: (service: ServiceDescription) => ForeignFiles | undefined;
  /** Further objects that must exist before a service starts. */
  readonly before: (service: ServiceDescription) => readonly Resource[];
}

interface Around {
  readonly scope: Scope;
  readonly parent: Resource;
}

export function runForeign(run: KubernetesRun, { scope, parent }: Around): Foreign {
  const {
    services,
    secrets,
    databaseCluster,
    databaseBackups,
    backupLogin,
    backupAuthorities,
    protectData,
    nameServers,
    metricsNamespace,
    certificate: source,
  } = run;
  const callers = callEdges(services)
    .filter(([, callee]) => callee === "database")
    .map(([caller]) => caller);
  const database =
    databaseCluster &&
    makeCluster(databaseCluster, {
      secrets,
      backupLogin,
      backupAuthorities,
      callers,
      nameServers,
      metricsNamespace,
      databaseBackups,
      protectData,
      scope,
      parent,
    });
  const certificate = source && clusterCertificate(source, scope, parent);
  return {
    parts: database === undefined ? {} : { database: clusterPart },
    ready: database === undefined ? {} : { database },
    filesFor({ name, calls }) {
      if (name === "gateway") return certificate?.files;
      return database !== undefined && calls.includes("database") ? clusterAuthority : undefined;
    },
    before: ({ name }) => (name === "gateway" ? (certificate?.ready ?? []) : []),
  };
}

const secretName = "gateway-certificate";

/** Paths at which the gateway expects the fields of a Secret of type kubernetes.io/tls. */
const paths = { "tls.crt": "tls/certificate.pem", "tls.key": "tls/private-key.pem" };

const certificateSpec = ({ issuer, kind, publicHost }: Extract<CertificateSource, { issuer: unknown }>) =>
  derive(publicHost, (host) => ({
    secretName,
    ...(isIP(host) === 0 ? { dnsNames: [host] } : { ipAddresses: [host] }),
    privateKey: { algorithm: "ECDSA", size: 256, rotationPolicy: "Always" },
    usages: ["digital signature", "server auth"],
    issuerRef: { group: "cert-manager.io", kind, name: issuer },
  }));

/** The gateway's certificate from the cluster; the gateway loads a renewed one by itself. */
function clusterCertificate(
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
