/** Specs of the resources of the operator CloudNativePG (1.26 or newer). */
import { loginRole, roles } from "@routeql/database/migrate/roles";
import { roleNames } from "@routeql/database/migrate/settings";
import type { RoleName } from "@routeql/database/migrate/settings";
import { databaseAddress } from "../../../services/database-place.ts";
import { storageAddress, withoutBucket } from "../../../services/storage-region.ts";
import type { PodSettings } from "../../../settings/values/pods.ts";
import { placement, podMetadata } from "../pod.ts";
import { resourcesOf } from "../resources.ts";
import type { ObjectLabels } from "../scope.ts";
import type { Storage } from "../workload.ts";

/** Name of the Cluster, from which the operator derives its Services: `database-rw` and so on. */
export const clusterName = "database";
/** The operator's Secret with the authority of the instances' certificates. */
export const authoritySecret = { name: `${clusterName}-ca`, key: "ca.crt" } as const;
/** Key in the Secret with the authorities of the object storage. */
export const authoritiesKey = "authorities.pem";
/** Name of the ObjectStore, and of the ScheduledBackup. */
export const storeName = "database";
/** The operator's backup plugin; CloudNativePG 1.30 removed the built-in backups. */
const backupPlugin = "barman-cloud.cloudnative-pg.io";

export interface BackupSettings {
  /** `s3://bucket/folder` */
  readonly destination: string;
  readonly endpoint?: string | undefined;
  readonly region?: string | undefined;
  readonly schedule: string;
  readonly retentionDays: number;
}

export interface ClusterSettings {
  readonly instances: number;
  readonly image: string;
  readonly storage: Storage;
  /** Limits of the single database. */
  readonly resources: { readonly cpuMillicores: number; readonly memoryMegabytes: number };
  /** Server settings by name. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly imagePullSecret?: string | undefined;
  readonly pod: PodSettings;
  readonly serviceAccountAnnotations?: Readonly<Record<string, string>> | undefined;
  readonly backup?: BackupSettings | undefined;
  readonly operatorNamespace: string;
  readonly apiServerPorts: readonly number[];
}

/** Names of the Secrets with a role's login; `superuser` is postgres. */
export type LoginSecrets<Name> = Readonly<Record<RoleName | "superuser", Name>>;

/** The roles exactly as the migrate job creates them, so that neither reverts the other's changes. */
function managedRole<Name>(name: RoleName, secret: Name) {
  return {
    name: loginRole(name),
    ensure: "present",
    login: true,
    inherit: true,
    connectionLimit: roles[name].connectionLimit,
    passwordSecret: { name: secret },
  };
}

/** The owner's affinity beside the operator's own. */
function affinityOf({ affinity: { nodeAffinity, podAffinity, podAntiAffinity } = {} }: PodSettings) {
  return {
    ...(nodeAffinity === undefined ? {} : { nodeAffinity }),
    ...(podAffinity === undefined ? {} : { additionalPodAffinity: podAffinity }),
    ...(podAntiAffinity === undefined ? {} : { additionalPodAntiAffinity: podAntiAffinity }),
  };
}

const zoneSpread = [{ maxSkew: 1, topologyKey: "topology.kubernetes.io/zone", whenUnsatisfiable: "ScheduleAnyway" }];

export function clusterSpec<Name>(settings: ClusterSettings, secrets: LoginSecrets<Name>, labels: ObjectLabels) {
  const { instances, image, storage, resources, parameters, imagePullSecret, pod, backup } = settings;
  const { serviceAccountAnnotations: annotations } = settings;
  return {
    description: "RouteQL",
    instances,
    imageName: image,
    ...(imagePullSecret === undefined ? {} : { imagePullSecrets: [{ name: imagePullSecret }] }),
    inheritedMetadata: podMetadata(pod, labels),
    ...(annotations === undefined ? {} : { serviceAccountTemplate: { metadata: { annotations } } }),
    ...(pod.priorityClassName === undefined ? {} : { priorityClassName: pod.priorityClassName }),
    enableSuperuserAccess: true,
    superuserSecret: { name: secrets.superuser },
    bootstrap: {
      initdb: {
        database: databaseAddress.name,
        owner: loginRole("owner"),
        secret: { name: secrets.owner },
        encoding: "UTF8",
        localeProvider: "builtin",
        locale: "C.UTF-8",
        builtinLocale: "C.UTF-8",
        dataChecksums: true,
      },
    },
    managed: { roles: roleNames.map((name) => managedRole(name, secrets[name])) },
    postgresql: {
      parameters: { ...parameters },
      // After the operator's own rules: rejects connections without encryption.
      pg_hba: ["hostnossl all all all reject"],
      // A committed change is on a second instance and survives the loss of the primary; without a second instance the primary continues.
      ...(instances > 1 ? { synchronous: { method: "any", number: 1, dataDurability: "preferred" } } : {}),
    },
    primaryUpdateStrategy: "unsupervised",
    primaryUpdateMethod: "switchover",
    // The services keep their connections, so waiting for them (by default three minutes) would only delay the restart.
    smartShutdownTimeout: 0,
    storage: {
      size: storage.size,
      ...(storage.storageClass === undefined ? {} : { storageClass: storage.storageClass }),
    },
    resources: resourcesOf(clusterName, resources, pod),
    affinity: {
      enablePodAntiAffinity: true,
      podAntiAffinityType: "preferred",
      topologyKey: "kubernetes.io/hostname",
      ...placement(pod),
      ...affinityOf(pod),
    },
    topologySpreadConstraints: (pod.topologySpreadConstraints ?? zoneSpread).map((constraint) => ({
      ...constraint,
      labelSelector: { matchLabels: { "cnpg.io/cluster": clusterName } },
    })),
    ...(backup === undefined
      ? {}
      : {
          plugins: [
            { name: backupPlugin, enabled: true, isWALArchiver: true, parameters: { barmanObjectName: storeName } },
          ],
        }),
  };
}

/** Of the plugin's container: a quota requires them, and the default of a namespace may be too little for a backup. */
const pluginResources = { requests: { cpu: "50m", memory: "128Mi" }, limits: { cpu: "1", memory: "1Gi" } };

/** Storage other than Amazon's may reject the checksums that its client sends by default. */
const checksumsWhereRequired = ["AWS_REQUEST_CHECKSUM_CALCULATION", "AWS_RESPONSE_CHECKSUM_VALIDATION"].map((name) => ({
  name,
  value: "when_required",
}));

/**
 * Spec of the plugin's ObjectStore.
 * @param credentials Secret with ACCESS_KEY_ID and ACCESS_SECRET_KEY; else the role of the service account or of the nodes
 * @param authorities Secret with the storage's authorities; else the public ones
 */
export function storeSpec<Name>(
  { destination, endpoint, region, retentionDays }: BackupSettings,
  credentials: Name | undefined,
  authorities?: Name,
) {
  const bucket = new URL(destination).host;
  const env = [
    ...(endpoint === undefined ? [] : checksumsWhereRequired),
    ...(endpoint === undefined && region === undefined
      ? []
      : [{ name: "AWS_DEFAULT_REGION", value: storageAddress(endpoint, region, bucket).region }]),
  ];
  return {
    retentionPolicy: `${retentionDays}d`,
    configuration: {
      destinationPath: destination,
      ...(endpoint === undefined ? {} : { endpointURL: withoutBucket(endpoint, bucket) }),
      ...(authorities === undefined ? {} : { endpointCA: { name: authorities, key: authoritiesKey } }),
      s3Credentials:
        credentials === undefined
          ? { inheritFromIAMRole: true }
          : {
              accessKeyId: { name: credentials, key: "ACCESS_KEY_ID" },
              secretAccessKey: { name: credentials, key: "ACCESS_SECRET_KEY" },
            },
      wal: { compression: "gzip" },
      data: { compression: "gzip" },
    },
    instanceSidecarConfiguration: { resources: pluginResources, ...(env.length === 0 ? {} : { env }) },
  };
}

/** Spec of a ScheduledBackup; the first backup starts at once. */
export function scheduleSpec({ schedule }: BackupSettings) {
  return {
    schedule,
    immediate: true,
    backupOwnerReference: "self",
    cluster: { name: clusterName },
    method: "plugin",
    pluginConfiguration: { name: backupPlugin },
  };
}
