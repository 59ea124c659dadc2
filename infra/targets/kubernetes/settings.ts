import { describeDatabase, serverParameters } from "../../services/database.ts";
import { readAnnotations } from "../../settings/kubernetes-checks.ts";
import type { PlainSettings } from "../../settings/list.ts";
import type { CertificateSource } from "./certificate.ts";
import type { ClusterSettings } from "./cloudnative-pg/cluster-spec.ts";
import type { KubernetesRun } from "./kubernetes-run.ts";
import type { Scope } from "./scope.ts";

/** Name of the namespace of a stack. */
export const namespaceOf = (settings: Pick<PlainSettings, "namespace">, instance: string): string =>
  settings.namespace ?? instance;

type FromSettings = Omit<KubernetesRun, "services" | "images" | "secrets" | "protectData" | "outside" | "backupLogin">;

function certificateOf({
  certificateIssuer,
  certificateIssuerKind,
  certificateSecret,
  publicHost,
}: PlainSettings): CertificateSource | undefined {
  if (certificateSecret !== undefined) return { secret: certificateSecret };
  return certificateIssuer === undefined
    ? undefined
    : { issuer: certificateIssuer, kind: certificateIssuerKind, publicHost };
}

function clusterOf(settings: PlainSettings): ClusterSettings | undefined {
  if (settings.database !== "cloudnative-pg") return undefined;
  const { backupDestination: destination, storageClass, imagePullSecret } = settings;
  return {
    instances: settings.databaseInstances,
    image: settings.databaseClusterImage,
    storage: { size: settings.databaseStorage, storageClass },
    resources: describeDatabase(settings).resources,
    parameters: serverParameters(settings),
    imagePullSecret,
    operatorNamespace: settings.databaseOperatorNamespace,
    ...(destination === undefined
      ? {}
      : {
          backup: {
            destination,
            endpoint: settings.backupEndpoint,
            schedule: settings.backupSchedule,
            retentionDays: settings.backupRetentionDays,
          },
        }),
  };
}

/** Settings of the services on a cluster. */
export function kubernetesRunOf(
  settings: PlainSettings,
  { instance, state, named }: Pick<Scope, "instance" | "state" | "named">,
): FromSettings {
  const { storageClass } = settings;
  return {
    scope: {
      namespace: namespaceOf(settings, instance),
      instance,
      state,
      named,
      clusterDomain: settings.clusterDomain,
    },
    createNamespace: settings.createNamespace,
    replicas: {
      gateway: { least: settings.gatewayReplicas, most: settings.gatewayReplicasMost },
      engine: { least: settings.engineReplicas, most: settings.engineReplicasMost },
      "auth-sidecar": { least: settings.sidecarReplicas, most: settings.sidecarReplicasMost },
    },
    storage: {
      database: { size: settings.databaseStorage, storageClass },
      sessions: { size: settings.sessionsStorage, storageClass },
    },
    publication: {
      type: settings.gatewayService as KubernetesRun["publication"]["type"],
      annotations: readAnnotations(settings.gatewayAnnotations),
    },
    certificate: certificateOf(settings),
    databaseCluster: clusterOf(settings),
    metricsNamespace: settings.metricsNamespace,
    monitoringOperator: settings.monitoring === "operator",
    imagePullSecret: settings.imagePullSecret,
  };
}
