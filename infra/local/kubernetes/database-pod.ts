import { clusterDatabase, databaseAddress } from "../../services/database-place.ts";
import { authoritySecret, clusterName } from "../../targets/kubernetes/cloudnative-pg/cluster-spec.ts";
import { Failure } from "../foundation/failure.ts";
import type { Cluster } from "../plugins/kubernetes/api/cluster.ts";
import { textAt } from "../plugins/kubernetes/api/objects.ts";
import type { DatabaseReach, StackValues } from "../stack/outputs.ts";
import type { Place } from "./place.ts";
import { type Pod, readyPod } from "./pods.ts";

/** CloudNativePG's own labels of the instance that takes changes. */
const primary = { "cnpg.io/cluster": clusterName, "cnpg.io/instanceRole": "primary" };

const isCluster = ({ host }: DatabaseReach): boolean => host === clusterDatabase({ readFromCopies: false }).host;

/**
 * The pod of the stack's database; of a cluster's, the one that takes changes.
 * @throws Failure where the database is outside, or none is ready
 */
export async function databasePod(cluster: Cluster, place: Place, { database }: Pick<StackValues, "database">, stack: string): Promise<Pod> {
  if (database.host === databaseAddress.host) return readyPod(cluster, place, "database", stack);
  if (isCluster(database)) return readyPod(cluster, place, "database", stack, primary);
  throw new Failure(`The stack ${stack} does not run its database itself: it is at ${database.host}:${database.port}, named ${database.name}`, {
    remedy: "reach it there as routeql_loader, routeql_owner and so on (passwords: pulumi stack output databasePasswords --show-secrets).",
  });
}

/** How the database is reached, with the authority that a cluster's operator has made for it. */
export async function checkedReach(cluster: Cluster, place: Place, { database }: Pick<StackValues, "database">): Promise<DatabaseReach> {
  if (!isCluster(database)) return database;
  const { name, key } = authoritySecret;
  const held = await cluster.get({ apiVersion: "v1", kind: "Secret", name, namespace: place.namespace });
  const authority = textAt(held, "data", key);
  if (authority === undefined) throw new Failure(`The namespace ${place.namespace} has no Secret ${name} with the key ${key}, which CloudNativePG makes`);
  return { ...database, authority: Buffer.from(authority, "base64").toString() };
}
