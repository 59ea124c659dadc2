import { stateLabel } from "@routeql/host/docker/stack-objects";
import type { Cluster } from "@routeql/host/kubernetes/cluster";
import { ApiError } from "@routeql/host/kubernetes/client";
import { field, type KubernetesObject, textAt } from "@routeql/host/kubernetes/objects";
import type { ClaimStore } from "../ownership/ownership.ts";
import { instanceLabels, type Place } from "./place.ts";

const claimOf = ({ instance, namespace }: Place) =>
  ({ apiVersion: "v1", kind: "ConfigMap", name: `${instance}-claim`, namespace }) as const;
const namespaceOf = ({ namespace }: Place) => ({ apiVersion: "v1", kind: "Namespace", name: namespace }) as const;

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

async function objectsOf(cluster: Cluster, place: Place): Promise<readonly KubernetesObject[]> {
  const namespace = await allowed(cluster.get(namespaceOf(place)));
  const lists = lookedAt.map((kind) =>
    allowed(cluster.list({ ...kind, namespace: place.namespace }, instanceLabels(place))),
  );
  const own = namespace?.metadata.labels?.["app.kubernetes.io/instance"] === place.instance ? [namespace] : [];
  return [...own, ...(await Promise.all(lists)).flatMap((list) => list ?? [])];
}

/** Claims in a namespace: a ConfigMap. A namespace that the update creates names its owner by its label until then. */
export const clusterClaims = (cluster: Cluster, place: Place): ClaimStore => ({
  where: `in the namespace ${place.namespace} of the cluster ${place.server}`,
  engine: () => Promise.resolve(undefined),
  async read() {
    const found = await allowed(cluster.get(claimOf(place)));
    const text = (key: string): string => textAt(found, "data", key) ?? "";
    return field(found, "data", "state") === undefined
      ? undefined
      : { state: text("state"), folder: text("folder"), host: text("host"), user: text("user") };
  },
  // Its data is compared with the secrets of the state (refuseForeignClaims).
  objects: async () =>
    (await objectsOf(cluster, place)).map(({ metadata }) => ({
      name: metadata.name,
      state: metadata.labels?.[stateLabel],
      isData: false,
    })),
  async write(mine) {
    if ((await allowed(cluster.get(namespaceOf(place)))) === undefined) return mine;
    const { apiVersion, kind, name, namespace } = claimOf(place);
    const labels = { [stateLabel]: mine.state, "app.kubernetes.io/part-of": "routeql" };
    await cluster.apply({ apiVersion, kind, metadata: { name, namespace, labels }, data: { ...mine } });
    return mine;
  },
  remove: () => cluster.delete(claimOf(place), "Background"),
});
