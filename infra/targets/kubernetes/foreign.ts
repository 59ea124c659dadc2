import type { Output, Resource } from "@pulumi/pulumi";
import { callEdges } from "../../services/description.ts";
import type { ServiceDescription, ServiceName } from "../../services/description.ts";
import { clusterCertificate } from "./certificate.ts";
import { clusterAuthority, makeCluster } from "./cloudnative-pg/cluster.ts";
import { clusterPart } from "./cloudnative-pg/network.ts";
import type { ForeignFiles } from "./files.ts";
import type { ForeignPart } from "./network-rules.ts";
import type { KubernetesRun } from "./kubernetes-run.ts";
import type { Scope } from "./scope.ts";

/** Objects that operators of the cluster run for the stack: a database, the gateway's certificate. */
export interface Foreign {
  /** For the callers' network policies. */
  readonly parts: Partial<Record<ServiceName, ForeignPart>>;
  /** For dependent services. */
  readonly ready: Partial<Record<ServiceName, Resource>>;
  /** Files for a service. */
  readonly filesFor: (service: ServiceDescription) => ForeignFiles | undefined;
  /** Further objects that must exist before a service starts. */
  readonly before: (service: ServiceDescription) => readonly Resource[];
}

interface Around {
  readonly scope: Scope;
  readonly nameKey: Output<string>;
  readonly parent: Resource;
}

export function runForeign(run: KubernetesRun, { scope, nameKey, parent }: Around): Foreign {
  const { services, secrets, databaseCluster, backupLogin, protectData, metricsNamespace, certificate: source } = run;
  const callers = callEdges(services)
    .filter(([, callee]) => callee === "database")
    .map(([caller]) => caller);
  const database =
    databaseCluster &&
    makeCluster(databaseCluster, {
      secrets,
      nameKey,
      backupLogin,
      callers,
      metricsNamespace,
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
