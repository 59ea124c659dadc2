import { Failure } from "@routeql/host/failure";
import type { Cluster } from "@routeql/host/kubernetes/cluster";
import { ApiError } from "@routeql/host/kubernetes/client";
import { describePod } from "@routeql/host/kubernetes/readiness";
import { conditionOf, field, type KubernetesObject, listAt, textAt } from "@routeql/host/kubernetes/objects";
import { instanceLabels } from "@routeql/host/kubernetes/stack-objects";
import type { Place } from "./place.ts";

export interface Pod {
  readonly name: string;
  readonly service: string;
  readonly container: string;
  readonly ready: boolean;
}

const serviceLabel = "app.kubernetes.io/name";

/** The fields of a pod that the commands need. */
export function podOf(object: KubernetesObject): Pod {
  const [container] = listAt(object, "spec", "containers");
  return {
    name: object.metadata.name,
    service: object.metadata.labels?.[serviceLabel] ?? "",
    container: textAt(container, "name") ?? "",
    ready:
      conditionOf(object, "Ready")?.status === "True" && field(object, "metadata", "deletionTimestamp") === undefined,
  };
}

type Labels = Readonly<Record<string, string>>;

/** The pods of a stack that also have these labels. */
export const listPods = (
  cluster: Pick<Cluster, "list">,
  place: Place,
  { labels = {}, signal }: { readonly labels?: Labels; readonly signal?: AbortSignal | undefined } = {},
): Promise<readonly KubernetesObject[]> =>
  cluster.list(
    { apiVersion: "v1", kind: "Pod", namespace: place.namespace },
    { ...instanceLabels(place), ...labels },
    signal,
  );

/** All pods of a stack with a running or finished container, sorted by service and name. */
export async function podsOf(cluster: Cluster, place: Place, signal?: AbortSignal): Promise<Pod[]> {
  const pods = await listPods(cluster, place, { signal });
  return pods
    .filter((pod) => textAt(pod, "status", "phase") !== "Pending")
    .map(podOf)
    .toSorted((left, right) => (`${left.service} ${left.name}` < `${right.service} ${right.name}` ? -1 : 1));
}

/** Whether a service with data stays without a pod: as after `npm run down`, or scaled to none. During a drain it has none for a moment. */
export async function isDown(cluster: Pick<Cluster, "list">, place: Place, service: string): Promise<boolean> {
  const labels = { [serviceLabel]: service };
  if ((await listPods(cluster, place, { labels })).length > 0) return false;
  const kind = { apiVersion: "apps/v1", kind: "StatefulSet", namespace: place.namespace };
  const sets = await cluster.list(kind, { ...instanceLabels(place), ...labels });
  return sets.every((set) => field(set, "spec", "replicas") === 0);
}

/** @throws Failure when the namespace does not exist. Without permission to ask, the namespace is assumed to exist. */
async function refuseWithoutNamespace(cluster: Cluster, { namespace, server }: Place): Promise<void> {
  const found = await cluster.get({ apiVersion: "v1", kind: "Namespace", name: namespace }).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 403) return true;
    throw error;
  });
  if (found === undefined)
    throw new Failure(`The cluster ${server} has no namespace ${namespace}`, {
      remedy: "run `npm run up` for the stack: it creates missing objects.",
    });
}

/** A ready pod of one service that also has these labels. @throws Failure when there is none */
export async function readyPod(
  cluster: Cluster,
  place: Place,
  service: string,
  stack: string,
  labels: Labels = {},
): Promise<Pod> {
  const all = await listPods(cluster, place, { labels: { [serviceLabel]: service, ...labels } });
  const found = all.map(podOf).find(({ ready }) => ready);
  if (found) return found;
  if (all.length === 0) await refuseWithoutNamespace(cluster, place);
  throw new Failure(`No pod of ${service} in the namespace ${place.namespace} is ready`, {
    lastLines: all.flatMap(describePod),
    remedy: `run \`npm run up -- --stack ${stack}\`: it repairs the stack.`,
  });
}
