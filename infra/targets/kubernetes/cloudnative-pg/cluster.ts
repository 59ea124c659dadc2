import type { types } from "@pulumi/kubernetes";
import { CustomResource } from "@pulumi/kubernetes/apiextensions/index.js";
import { NetworkPolicy } from "@pulumi/kubernetes/networking/v1/index.js";
import { all, type Input, output, type Output, type Resource, secret } from "@pulumi/pulumi";
import { loginRole } from "@routeql/database/migrate/roles";
import { roleNames } from "@routeql/database/migrate/settings";
import { databaseAuthorityFile } from "../../../services/database-place.ts";
import type { ServiceName } from "../../../description/service.ts";
import type { Secrets } from "../../../description/secrets.ts";
import type { NameServer } from "../../../settings/values/cluster-network.ts";
import { type ForeignFiles, versionedSecret } from "../files.ts";
import { type ForeignPart, inNamespace, peersOf, podsWith, tcp, toNameServers } from "../network-rules.ts";
import { labelsOf, metadataOf, type Scope, selectorOf } from "../scope.ts";
import {
  authoritiesKey,
  authoritySecret,
  clusterName,
  type ClusterSettings,
  clusterSpec,
  type LoginSecrets,
  scheduleSpec,
  storeName,
  storeSpec,
} from "./cluster-spec.ts";

export interface ClusterParts extends Omit<ClusterCallers, "scope" | "metricsNamespace" | "nameServers"> {
  readonly metricsNamespace?: Input<string> | undefined;
  readonly nameServers: Input<readonly NameServer[]>;
  readonly databaseBackups: boolean | undefined;
  readonly secrets: Secrets;
  readonly backupLogin: { readonly accessKeyId: Output<string>; readonly secretAccessKey: Output<string> } | undefined;
  /** Authorities of the object storage, PEM; else the public ones. */
  readonly backupAuthorities?: Input<string> | undefined;
  readonly protectData: boolean;
  readonly scope: Scope;
  readonly parent: Resource;
}

/** The operator's authority for the instances' certificates, for clients. */
export const clusterAuthority: ForeignFiles = {
  secretName: authoritySecret.name,
  paths: { [authoritySecret.key]: databaseAuthorityFile },
};

function login(name: string, username: string, password: Output<string>, parts: ClusterParts): Output<string> {
  const content = all({ username: secret(username), password });
  return versionedSecret(`database-${name}`, "database", content, parts, "kubernetes.io/basic-auth");
}

function makeBackups(settings: Output<ClusterSettings>, parts: ClusterParts): Resource[] {
  if (parts.databaseBackups !== true) return [];
  const { backupLogin: given, backupAuthorities, scope, parent } = parts;
  const credentials =
    given &&
    versionedSecret(
      "database-backup-storage",
      "database",
      all({ ACCESS_KEY_ID: given.accessKeyId, ACCESS_SECRET_KEY: given.secretAccessKey }),
      parts,
    );
  const authorities =
    backupAuthorities &&
    versionedSecret("database-backup-authorities", "database", all({ [authoritiesKey]: backupAuthorities }), parts);
  const store = new CustomResource(
    scope.named("database-store"),
    {
      apiVersion: "barmancloud.cnpg.io/v1",
      kind: "ObjectStore",
      metadata: metadataOf(storeName, "database", scope),
      spec: settings.apply(({ backup }) => storeSpec(backup!, credentials, authorities)),
    },
    { parent },
  );
  return [store];
}

/** A cluster of Postgres instances that CloudNativePG runs, with its logins, its backups and its network policy. */
export function makeCluster(given: Input<ClusterSettings>, parts: ClusterParts): Resource {
  const settings = output(given);
  const { secrets, protectData, scope, parent } = parts;
  const policy = new NetworkPolicy(
    scope.named(clusterName),
    {
      metadata: metadataOf(clusterName, "database", scope),
      spec: all([settings, parts.metricsNamespace, parts.nameServers]).apply(([known, metricsNamespace, nameServers]) =>
        clusterPolicy(known, { ...parts, metricsNamespace, nameServers }),
      ),
    },
    { parent },
  );
  const logins = Object.fromEntries([
    ["superuser", login("superuser", "postgres", secrets["bootstrap-password"], parts)],
    ...roleNames.map((name) => [name, login(name, loginRole(name), secrets[`${name}-password`], parts)] as const),
  ]) as unknown as LoginSecrets<Output<string>>;
  const store = makeBackups(settings, parts);
  const cluster = new CustomResource(
    scope.named("database"),
    {
      apiVersion: "postgresql.cnpg.io/v1",
      kind: "Cluster",
      metadata: {
        ...metadataOf(clusterName, "database", scope),
        annotations: { "pulumi.com/waitFor": "condition=Ready" },
      },
      spec: settings.apply((known) => clusterSpec(known, logins, labelsOf("database", scope))),
    },
    { parent, protect: protectData, dependsOn: [policy, ...store], customTimeouts: { create: "30m", update: "30m" } },
  );
  if (parts.databaseBackups === true) {
    void new CustomResource(
      scope.named("database-backup"),
      {
        apiVersion: "postgresql.cnpg.io/v1",
        kind: "ScheduledBackup",
        metadata: metadataOf(storeName, "database", scope),
        spec: settings.apply(({ backup }) => scheduleSpec(backup!)),
      },
      { parent, dependsOn: [cluster] },
    );
  }
  return cluster;
}

const postgres = 5432;
/** Port on which the operator requests each instance's state. */
const statusPort = 8000;
const metricsPort = 9187;

/** The pods of the cluster for their callers' policies. */
export const clusterPart: ForeignPart = { pods: { "cnpg.io/cluster": clusterName }, ports: [postgres] };

/** Where Amazon's clients get the role of a node, and on EKS that of a service account (Pod Identity). */
const roleServices = ["169.254.169.254/32", "169.254.170.23/32", "fd00:ec2::254/128", "fd00:ec2::23/128"];

export interface ClusterCallers {
  readonly callers: readonly ServiceName[];
  /** Keys of the object storage; backups without them use a role. */
  readonly backupLogin: unknown;
  readonly nameServers: readonly NameServer[];
  readonly metricsNamespace?: string | undefined;
  readonly scope: Pick<Scope, "instance">;
}

/** Outgoing connections of the database's instances: replication, and the operator's needs. */
export function clusterPolicy(
  {
    backup,
    operatorNamespace,
    apiServerPorts,
  }: Pick<ClusterSettings, "backup" | "operatorNamespace" | "apiServerPorts">,
  { callers, backupLogin, metricsNamespace, nameServers, scope }: ClusterCallers,
): types.input.networking.v1.NetworkPolicySpec {
  const instances = podsWith(clusterPart.pods);
  const endpoint = backup === undefined ? undefined : new URL(backup.endpoint ?? "https://s3.amazonaws.com");
  const storagePort = endpoint && Number(endpoint.port || (endpoint.protocol === "http:" ? 80 : 443));
  return {
    ...instances,
    policyTypes: ["Ingress", "Egress"],
    ingress: [
      { from: callers.map((caller) => podsWith(selectorOf(caller, scope))), ports: tcp([postgres]) },
      { from: [instances, inNamespace(operatorNamespace)], ports: tcp([postgres, statusPort]) },
      ...(metricsNamespace === undefined ? [] : [{ from: [inNamespace(metricsNamespace)], ports: tcp([metricsPort]) }]),
    ],
    egress: [
      ...toNameServers(nameServers),
      { to: [instances], ports: tcp([postgres, statusPort]) },
      {
        to: peersOf({ ports: [] }),
        ports: tcp([...new Set([...apiServerPorts, ...(storagePort === undefined ? [] : [storagePort])])]),
      },
      ...(backup === undefined || backupLogin !== undefined
        ? []
        : [{ to: peersOf({ ports: [], addresses: roleServices }), ports: tcp([80]) }]),
    ],
  };
}
