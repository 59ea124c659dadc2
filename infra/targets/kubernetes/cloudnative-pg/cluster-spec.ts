/**
 * What the operator CloudNativePG (1.26 or newer) is asked for, as specs of its resources.
 * @module
 */
import { loginRole, roles } from "../../../../database/migrate/roles.ts";
import { roleNames } from "../../../../database/migrate/settings.ts";
import type { RoleName } from "../../../../database/migrate/settings.ts";
import { databaseAddress } from "../../../services/database-place.ts";
import type { ServiceDescription } from "../../../services/description.ts";
import type { Labels } from "../scope.ts";
import type { Storage } from "../workload.ts";

/** Name of the Cluster, from which the operator makes those of its Services: `database-rw` and so on. */
export const clusterName = "database";
/** The Secret in which the operator keeps the authority of the instances' certificates. */
export const authoritySecret = { name: `${clusterName}-ca`, key: "ca.crt" } as const;
/** Name of the ObjectStore, and of the ScheduledBackup. */
export const storeName = "database";
/** The operator's plugin for backups; what was built in before it is gone from CloudNativePG 1.30. */
const backupPlugin = "barman-cloud.cloudnative-pg.io";

export interface BackupSettings {
  /** `s3://bucket/folder` */
  readonly destination: string;
  readonly endpoint?: string | undefined;
  readonly schedule: string;
  readonly retentionDays: number;
}

export interface ClusterSettings {
  readonly instances: number;
  readonly image: string;
  readonly storage: Storage;
  /** Limits are those of the single database. */
  readonly resources: ServiceDescription["resources"];
  /** Settings of the server, by name. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly imagePullSecret?: string | undefined;
  readonly backup?: BackupSettings | undefined;
  /** Namespace of the operator. */
  readonly operatorNamespace: string;
}

/** Names of the Secrets with a role's login; `superuser` is postgres. */
export type LoginSecrets<Name> = Readonly<Record<RoleName | "superuser", Name>>;

/** The roles, exactly as the job that migrates makes them, so that neither undoes what the other did. */
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

/** Of a Cluster. */
export function clusterSpec<Name>(settings: ClusterSettings, secrets: LoginSecrets<Name>, labels: Labels) {
  const { instances, image, storage, resources, parameters, imagePullSecret, backup } = settings;
  return {
    description: "RouteQL",
    instances,
    imageName: image,
    ...(imagePullSecret === undefined ? {} : { imagePullSecrets: [{ name: imagePullSecret }] }),
    inheritedMetadata: { labels: { ...labels } },
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
      // After the operator's own rules: nobody comes in without encryption.
      pg_hba: ["hostnossl all all all reject"],
      // What was answered is on a second instance, so that it outlives the first; where there is no other for a time, work goes on.
      ...(instances > 1 ? { synchronous: { method: "any", number: 1, dataDurability: "preferred" } } : {}),
    },
    primaryUpdateStrategy: "unsupervised",
    primaryUpdateMethod: "switchover",
    // The parts keep their connections, so waiting until the last is gone (by default three minutes) only keeps new ones out.
    smartShutdownTimeout: 0,
    storage: { size: storage.size, ...(storage.storageClass === undefined ? {} : { storageClass: storage.storageClass }) },
    resources: {
      requests: { cpu: `${resources.cpuMillicores}m`, memory: `${resources.memoryMegabytes}Mi` },
      limits: { cpu: `${resources.cpuMillicores * 8}m`, memory: `${resources.memoryMegabytes}Mi` },
    },
    affinity: { enablePodAntiAffinity: true, podAntiAffinityType: "preferred", topologyKey: "kubernetes.io/hostname" },
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: "topology.kubernetes.io/zone",
        whenUnsatisfiable: "ScheduleAnyway",
        labelSelector: { matchLabels: { "cnpg.io/cluster": clusterName } },
      },
    ],
    ...(backup === undefined
      ? {}
      : { plugins: [{ name: backupPlugin, isWALArchiver: true, parameters: { barmanObjectName: storeName } }] }),
  };
}

/** Other storages than Amazon's may not know the checksums that its client sends unasked. */
const checksumsWhereRequired = ["AWS_REQUEST_CHECKSUM_CALCULATION", "AWS_RESPONSE_CHECKSUM_VALIDATION"].map((name) => ({
  name,
  value: "when_required",
}));

/**
 * Of an ObjectStore of the plugin's.
 * @param credentials name of the Secret with ACCESS_KEY_ID and ACCESS_SECRET_KEY; without one the role of the nodes counts
 */
export function storeSpec<Name>({ destination, endpoint, retentionDays }: BackupSettings, credentials: Name | undefined) {
  return {
    retentionPolicy: `${retentionDays}d`,
    configuration: {
      destinationPath: destination,
      ...(endpoint === undefined ? {} : { endpointURL: endpoint }),
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
    ...(endpoint === undefined ? {} : { instanceSidecarConfiguration: { env: checksumsWhereRequired } }),
  };
}

/** Of a ScheduledBackup; the first one is made at once. */
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
