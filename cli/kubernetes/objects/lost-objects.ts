/** Objects whose creation the state lost: Pulumi generates their names, so no later update finds them again. */
import { stateLabel } from "@routeql/host/ownership";
import { deleteAndWait } from "@routeql/host/kubernetes/await";
import { ApiError } from "@routeql/host/kubernetes/client";
import type { Cluster } from "@routeql/host/kubernetes/cluster";
import { instanceLabels } from "@routeql/host/kubernetes/stack-objects";
import type { Deployment } from "../../pulumi/recovery.ts";
import type { Place } from "../place.ts";

const job = { apiVersion: "batch/v1", kind: "Job", type: "kubernetes:batch/v1:Job" } as const;
const files = [
  { apiVersion: "v1", kind: "ConfigMap", type: "kubernetes:core/v1:ConfigMap" },
  { apiVersion: "v1", kind: "Secret", type: "kubernetes:core/v1:Secret" },
] as const;

/** Kinds by the time at which unknown objects may go: a job would still run, but a workload may mount files until the update has succeeded. */
export const lostKinds = { before: [job], after: [job, ...files] } as const;

interface Ownership {
  readonly place: Place;
  /** Identity of the state, whose label the objects have. */
  readonly owner: string;
  readonly deployment: Deployment;
}

/** Deletes the objects of these kinds that have the state's label and are not in the state. @returns their names */
export async function removeLostObjects(
  cluster: Cluster,
  { place, owner, deployment: { resources = [] } }: Ownership,
  kinds: readonly (typeof job | (typeof files)[number])[],
  signal: AbortSignal,
): Promise<string[]> {
  const known = new Set(resources.map(({ type, id }) => `${type} ${id}`));
  const { namespace } = place;
  const labels = { ...instanceLabels(place), [stateLabel]: owner };
  const removed: string[] = [];
  for (const { apiVersion, kind, type } of kinds) {
    const found = await cluster.list({ apiVersion, kind, namespace }, labels, signal).catch((error: unknown) => {
      // A lost object is of no use and does no harm: without the right to list, it stays.
      if (error instanceof ApiError && (error.code === 403 || error.code === 404)) return [];
      throw error;
    });
    for (const { name } of found.map(({ metadata }) => metadata)) {
      if (known.has(`${type} ${namespace}/${name}`)) continue;
      await deleteAndWait({ apiVersion, kind, name, namespace }, cluster, signal);
      removed.push(name);
    }
  }
  return removed;
}
