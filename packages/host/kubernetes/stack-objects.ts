import { type Owner, stateLabel } from "../ownership.ts";
import { ApiError } from "./client.ts";
import type { Cluster } from "./cluster.ts";
import { field, type KubernetesObject, textAt } from "./objects.ts";

/** Where a stack runs in a cluster: the namespace, and the value of its objects' instance label. */
export interface ClusterPlace {
  readonly namespace: string;
  readonly instance: string;
}

const instanceLabel = "app.kubernetes.io/instance";

export const instanceLabels = ({ instance }: Pick<ClusterPlace, "instance">): Readonly<Record<string, string>> => ({
  [instanceLabel]: instance,
});

const referenceOf = ({ instance, namespace }: ClusterPlace) =>
  ({ apiVersion: "v1", kind: "ConfigMap", name: `${instance}-claim`, namespace }) as const;
const namespaceOf = ({ namespace }: ClusterPlace) =>
  ({ apiVersion: "v1", kind: "Namespace", name: namespace }) as const;

/** Undefined if the object does not exist or this user may not read it. */
const allowed = <T>(asked: Promise<T>): Promise<T | undefined> =>
  asked.catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 403) return undefined;
    throw error;
  });

/** Objects that an update creates first and last, and the data. */
const lookedAt = [
  { apiVersion: "v1", kind: "PersistentVolumeClaim" },
  { apiVersion: "v1", kind: "Service" },
  { apiVersion: "networking.k8s.io/v1", kind: "NetworkPolicy" },
] as const;

/** Objects with the stack's name, its namespace among them. */
export async function objectsIn(cluster: Cluster, place: ClusterPlace): Promise<readonly KubernetesObject[]> {
  const namespace = await allowed(cluster.get(namespaceOf(place)));
  const lists = lookedAt.map((kind) =>
    allowed(cluster.list({ ...kind, namespace: place.namespace }, instanceLabels(place))),
  );
  const own = namespace?.metadata.labels?.[instanceLabel] === place.instance ? [namespace] : [];
  return [...own, ...(await Promise.all(lists)).flatMap((list) => list ?? [])];
}

export async function claimIn(cluster: Cluster, place: ClusterPlace): Promise<Owner | undefined> {
  const found = await allowed(cluster.get(referenceOf(place)));
  const text = (key: string): string => textAt(found, "data", key) ?? "";
  return field(found, "data", "state") === undefined
    ? undefined
    : { state: text("state"), folder: text("folder"), host: text("host"), user: text("user") };
}

/** Writes the claim of a state into a namespace that exists. */
export async function claimFor(cluster: Cluster, place: ClusterPlace, owner: Owner): Promise<void> {
  if ((await allowed(cluster.get(namespaceOf(place)))) === undefined) return;
  const { apiVersion, kind, name, namespace } = referenceOf(place);
  const labels = { [stateLabel]: owner.state, "app.kubernetes.io/part-of": "routeql" };
  await cluster.apply({ apiVersion, kind, metadata: { name, namespace, labels }, data: { ...owner } });
}

export const removeClaimIn = (cluster: Cluster, place: ClusterPlace): Promise<void> =>
  cluster.delete(referenceOf(place), "Background");
