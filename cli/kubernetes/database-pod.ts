import { clusterDatabase, databaseAddress } from "@routeql/infra/services/database-place";
import { authoritySecret, clusterName } from "@routeql/infra/targets/kubernetes/cloudnative-pg/cluster-spec";
import { Failure } from "@routeql/host/failure";
import type { Cluster } from "@routeql/host/kubernetes/cluster";
import { textAt } from "@routeql/host/kubernetes/objects";
import type { DatabaseReach, StackValues } from "../stack/outputs.ts";
import type { Place } from "./place.ts";
import { type Pod, readyPod } from "./pods.ts";

/** CloudNativePG's labels of the primary. */
const primary = { "cnpg.io/cluster": clusterName, "cnpg.io/instanceRole": "primary" };

const isCluster = ({ host }: DatabaseReach): boolean => host === clusterDatabase({ readFromCopies: false }).host;

/** Whether the stack runs its own database pods. */
export const runsItself = (database: DatabaseReach): boolean =>
  database.host === databaseAddress.host || isCluster(database);

/**
 * The pod of a database that the stack runs itself; in a cluster, the primary.
 * @throws Failure when none is ready
 */
export function databasePod(
  cluster: Cluster,
  place: Place,
  { database }: Pick<StackValues, "database">,
  stack: string,
): Promise<Pod> {
  return readyPod(cluster, place, "database", stack, isCluster(database) ? primary : {});
}

/** Address of the database, with the certificate authority of the cluster's operator. */
export async function checkedReach(
  cluster: Cluster,
  place: Place,
  { database }: Pick<StackValues, "database">,
): Promise<DatabaseReach> {
  if (!isCluster(database)) return database;
  const { name, key } = authoritySecret;
  const held = await cluster.get({ apiVersion: "v1", kind: "Secret", name, namespace: place.namespace });
  const authority = textAt(held, "data", key);
  if (authority === undefined)
    throw new Failure(
      `The namespace ${place.namespace} has no Secret ${name} with the key ${key}, which CloudNativePG creates`,
    );
  return { ...database, authority: Buffer.from(authority, "base64").toString() };
}
