import type { Input } from "@pulumi/pulumi";
import { derive } from "../../inputs.ts";
import { describeDatabase, serverParameters } from "../../services/database.ts";
import type { ServiceDescription, ServiceName } from "../../description/service.ts";
import type { Secrets } from "../../description/secrets.ts";
import { type NameServer, nameServersOf, portsOf } from "../../settings/values/cluster-network.ts";
import { readAnnotations } from "../../settings/values/kubernetes-checks.ts";
import { type PodsOf, podsOf } from "../../settings/values/pods.ts";
import type { Settings } from "../../settings/list.ts";
import type { ClusterSettings } from "./cloudnative-pg/cluster-spec.ts";
import type { ClusterParts } from "./cloudnative-pg/cluster.ts";
import { type ImageSources, withDigest } from "./images.ts";
import type { NetworkFacts } from "./network-rules.ts";
import type { IpFamilies, Scope } from "./scope.ts";
import type { Publication } from "./service.ts";
import type { Replicas, Storage } from "./workload.ts";

/** Source of the gateway's certificate in the cluster: an issuer of cert-manager, or an existing Secret. */
export type CertificateSource =
  | { readonly issuer: Input<string>; readonly kind: Input<string>; readonly publicHost: Input<string> }
  | { readonly secret: Input<string> };

export interface KubernetesRun {
  /** In start order: each service after its dependencies. */
  readonly services: readonly ServiceDescription[];
  readonly images: ImageSources;
  readonly secrets: Secrets;
  readonly scope: Omit<Scope, "readyNamespace">;
  /** Whether to create the namespace; if not, it must exist. */
  readonly createNamespace: boolean;
  /** Replicas of services without data; one by default. */
  readonly replicas: Partial<Record<ServiceName, Replicas>>;
  /** Volumes of the services with data. */
  readonly storage: Partial<Record<ServiceName, Storage>>;
  readonly publication: Publication;
  readonly outside: Input<NetworkFacts["outside"]>;
  readonly nameServers: Input<readonly NameServer[]>;
  readonly metricsNamespace?: Input<string> | undefined;
  /** Whether to create objects that make the Prometheus operator read the metrics. */
  readonly monitoringOperator?: boolean;
  readonly imagePullSecret?: Input<string> | undefined;
  readonly pods: PodsOf;
  /** The gateway's certificate, if the cluster provides it. */
  readonly certificate?: CertificateSource | undefined;
  /** A database that is not among the services. */
  readonly databaseCluster?: Input<ClusterSettings> | undefined;
  readonly databaseBackups?: boolean;
  readonly backupLogin?: ClusterParts["backupLogin"];
  readonly backupAuthorities?: ClusterParts["backupAuthorities"];
  /** Whether Pulumi refuses to delete objects with data. */
  readonly protectData: boolean;
}

export const namespaceOf = <Name extends Input<string>>(
  settings: { readonly namespace?: Name | undefined },
  instance: string,
): Name | string => settings.namespace ?? instance;

type FromSettings = Omit<
  KubernetesRun,
  "services" | "images" | "secrets" | "protectData" | "outside" | "backupLogin" | "backupAuthorities"
>;

function certificateOf({
  certificateIssuer,
  certificateIssuerKind,
  certificateSecret,
  publicHost,
}: Settings): CertificateSource | undefined {
  if (certificateSecret !== undefined) return { secret: certificateSecret };
  return certificateIssuer === undefined
    ? undefined
    : { issuer: certificateIssuer, kind: certificateIssuerKind, publicHost };
}

/** In the form of a Service; without the setting the cluster decides. */
const ipFamiliesOf = (families: string): IpFamilies => {
  const ipFamilies = families.split(",");
  return { ipFamilies, ipFamilyPolicy: ipFamilies.length === 1 ? "SingleStack" : "RequireDualStack" };
};

function clusterOf(
  settings: Settings,
  pods: PodsOf,
  digests: ImageSources["digests"],
): Input<ClusterSettings> | undefined {
  if (settings.database !== "cloudnative-pg") return undefined;
  const { cpuMillicores, memoryMegabytes } = describeDatabase(settings).resources;
  const { databaseServiceAccountAnnotations: annotations } = settings;
  const given = {
    instances: settings.databaseInstances,
    image: derive(settings.databaseClusterImage, (image) => withDigest(image, digests)),
    size: settings.databaseStorage,
    storageClass: settings.storageClass,
    memoryMegabytes,
    imagePullSecret: settings.imagePullSecret,
    pod: pods("database"),
    serviceAccountAnnotations: annotations === undefined ? undefined : derive(annotations, readAnnotations),
    operatorNamespace: settings.databaseOperatorNamespace,
    apiServerPorts: settings.apiServerPorts,
    destination: settings.backupDestination,
    endpoint: settings.backupEndpoint,
    region: settings.backupRegion,
    schedule: settings.backupSchedule,
    retentionDays: settings.backupRetentionDays,
  };
  return derive(given, ({ size, storageClass, destination, endpoint, region, schedule, retentionDays, ...known }) => ({
    ...known,
    apiServerPorts: portsOf(known.apiServerPorts),
    storage: { size, storageClass },
    resources: { cpuMillicores, memoryMegabytes: known.memoryMegabytes },
    parameters: serverParameters(settings),
    ...(destination === undefined ? {} : { backup: { destination, endpoint, region, schedule, retentionDays } }),
  }));
}

type ReplicaSettings = Pick<
  Settings,
  | "gatewayReplicas"
  | "gatewayReplicasMost"
  | "engineReplicas"
  | "engineReplicasMost"
  | "sidecarReplicas"
  | "sidecarReplicasMost"
>;

function replicasOf(settings: ReplicaSettings, autoscaledBefore: readonly string[] = []): KubernetesRun["replicas"] {
  const bounds = {
    gateway: { least: settings.gatewayReplicas, most: settings.gatewayReplicasMost },
    engine: { least: settings.engineReplicas, most: settings.engineReplicasMost },
    // Each front lets as many requests run as one Hasura has connections.
    front: { least: settings.engineReplicas, most: settings.engineReplicasMost },
    "auth-sidecar": { least: settings.sidecarReplicas, most: settings.sidecarReplicasMost },
  };
  const entries = Object.entries(bounds);
  return Object.fromEntries(
    entries.map(([name, each]) => [name, { ...each, autoscaledBefore: autoscaledBefore.includes(name) }]),
  );
}

/** Names of the services whose number of pods follows the load. */
export const autoscaledOf = (settings: ReplicaSettings): readonly string[] =>
  Object.entries(replicasOf(settings)).flatMap(([name, { least, most }]) => (most > least ? [name] : []));

export function kubernetesRunOf(
  settings: Settings,
  { instance, state, contentNames, named }: Pick<Scope, "instance" | "state" | "contentNames" | "named">,
  {
    imageDigests: digests,
    autoscaledBefore,
  }: { readonly imageDigests?: ImageSources["digests"]; readonly autoscaledBefore?: readonly string[] } = {},
): FromSettings {
  const { storageClass, ipFamilies } = settings;
  const pods = podsOf(settings.pods);
  return {
    scope: {
      namespace: namespaceOf(settings, instance),
      instance,
      state,
      contentNames,
      named,
      clusterDomain: settings.clusterDomain,
      ipFamilies: ipFamilies === undefined ? {} : derive(ipFamilies, ipFamiliesOf),
    },
    createNamespace: settings.createNamespace,
    replicas: replicasOf(settings, autoscaledBefore),
    storage: {
      database: { size: settings.databaseStorage, storageClass },
      sessions: { size: settings.sessionsStorage, storageClass },
    },
    publication: {
      type: settings.gatewayService,
      ...(settings.gatewayAnnotations === undefined
        ? {}
        : { annotations: derive(settings.gatewayAnnotations, readAnnotations) }),
    },
    certificate: certificateOf(settings),
    databaseCluster: clusterOf(settings, pods, digests),
    databaseBackups: settings.backupDestination !== undefined,
    nameServers: derive(settings.nameServers, nameServersOf),
    metricsNamespace: settings.metricsNamespace,
    monitoringOperator: settings.monitoring === "operator",
    imagePullSecret: settings.imagePullSecret,
    pods,
  };
}
