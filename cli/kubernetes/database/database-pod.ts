import type { Cluster } from "@routeql/host/kubernetes/cluster";
import { clusterDatabase, databaseAddress } from "@routeql/infra/services/database-place";
import { clusterName } from "@routeql/infra/targets/kubernetes/cloudnative-pg/cluster-spec";
import type { DatabaseReach, StackValues } from "../../pulumi/outputs.ts";
import type { Place } from "../place.ts";
import { type Pod, readyPod } from "../pods.ts";

/** CloudNativePG's labels of the primary. */
const primary = { "cnpg.io/cluster": clusterName, "cnpg.io/instanceRole": "primary" };

const isCluster = ({ host }: DatabaseReach): boolean => host === clusterDatabase({ readFromCopies: false }).host;

export const runsItself = (database: DatabaseReach): boolean =>
  database.host === databaseAddress.host || isCluster(database);

/** The pod of a database that the stack runs itself; in a cluster, the primary. @throws Failure when none is ready */
export function databasePod(
  cluster: Cluster,
  place: Place,
  { database }: Pick<StackValues, "database">,
  stack: string,
): Promise<Pod> {
  return readyPod(cluster, place, "database", stack, isCluster(database) ? primary : {});
}
