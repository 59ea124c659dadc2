import { databaseAddress } from "../../services/database-place.ts";
import { Failure } from "../foundation/failure.ts";
import type { Cluster } from "../plugins/kubernetes/api/cluster.ts";
import type { StackValues } from "../stack/outputs.ts";
import type { Place } from "./place.ts";
import { type Pod, readyPod } from "./pods.ts";

/**
 * The pod of the stack's own database.
 * @throws Failure where the database is not a pod of the stack, or none is ready
 */
export async function databasePod(cluster: Cluster, place: Place, { database }: Pick<StackValues, "database">, stack: string): Promise<Pod> {
  if (database.host === databaseAddress.host) return readyPod(cluster, place, "database", stack);
  throw new Failure(`The stack ${stack} does not run its database itself: it is at ${database.host}:${database.port}, named ${database.name}`, {
    remedy: `reach it there as routeql_loader, routeql_owner and so on (passwords: pulumi stack output databasePasswords --show-secrets), or, where an operator runs it, in its own pod: kubectl -n ${place.namespace} exec -it database-1 -c postgres -- psql ${database.name}`,
  });
}
