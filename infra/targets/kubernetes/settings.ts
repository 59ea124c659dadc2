import { readAnnotations } from "../../settings/kubernetes-checks.ts";
import type { PlainSettings } from "../../settings/list.ts";
import { outsidePlaces } from "./outside-places.ts";
import type { KubernetesRun } from "./run.ts";

/** Name of the namespace of a stack. */
export const namespaceOf = (settings: Pick<PlainSettings, "namespace">, instance: string): string => settings.namespace ?? instance;

type FromSettings = Pick<
  KubernetesRun,
  "scope" | "createNamespace" | "replicas" | "storage" | "publication" | "network" | "imagePullSecret"
>;

/** What the settings say about how services run on a cluster. */
export function kubernetesRunOf(settings: PlainSettings, instance: string): FromSettings {
  const { storageClass } = settings;
  return {
    scope: { namespace: namespaceOf(settings, instance), instance, clusterDomain: settings.clusterDomain },
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
    network: { outside: outsidePlaces(settings), metricsNamespace: settings.metricsNamespace },
    imagePullSecret: settings.imagePullSecret,
  };
}
