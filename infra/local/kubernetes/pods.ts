import { Failure } from "../foundation/failure.ts";
import type { Cluster } from "../plugins/kubernetes/api/cluster.ts";
import { conditionOf, field, type KubernetesObject, listAt, textAt } from "../plugins/kubernetes/api/objects.ts";
import { instanceLabels, type Place } from "./place.ts";

export interface Pod {
  readonly name: string;
  readonly service: string;
  readonly container: string;
  readonly ready: boolean;
}

const serviceLabel = "app.kubernetes.io/name";

function podOf(object: KubernetesObject): Pod {
  const [container] = listAt(object, "spec", "containers");
  return {
    name: object.metadata.name,
    service: object.metadata.labels?.[serviceLabel] ?? "",
    container: textAt(container, "name") ?? "",
    ready: conditionOf(object, "Ready")?.status === "True" && field(object, "metadata", "deletionTimestamp") === undefined,
  };
}

type Labels = Readonly<Record<string, string>>;

/** All pods of a stack (with these labels too) that have or had something to run, by service and name. */
export async function podsOf(cluster: Cluster, place: Place, signal?: AbortSignal, labels: Labels = {}): Promise<Pod[]> {
  const pods = await cluster.list({ apiVersion: "v1", kind: "Pod", namespace: place.namespace }, { ...instanceLabels(place), ...labels }, signal);
  return pods
    .filter((pod) => textAt(pod, "status", "phase") !== "Pending")
    .map(podOf)
    .toSorted((left, right) => (`${left.service} ${left.name}` < `${right.service} ${right.name}` ? -1 : 1));
}

/** A ready pod of one service, with these labels too. @throws Failure when there is none */
export async function readyPod(cluster: Cluster, place: Place, service: string, stack: string, labels: Labels = {}): Promise<Pod> {
  const found = (await podsOf(cluster, place, undefined, labels)).find((pod) => pod.service === service && pod.ready);
  if (found) return found;
  throw new Failure(`No pod of ${service} in the namespace ${place.namespace} is ready`, {
    remedy: `run \`npm run up -- --stack ${stack}\`: it repairs the stack.`,
  });
}
