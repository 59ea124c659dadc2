import type { Cluster } from "@routeql/host/kubernetes/cluster";
import { ApiError } from "@routeql/host/kubernetes/client";
import { expect, test } from "vitest";
import { lostKinds, removeLostObjects } from "./lost-objects.ts";

const place = { server: "https://cluster.example.net", namespace: "routes", instance: "routeql-prod" };
const { signal } = new AbortController();

/** A cluster with these objects, by kind. */
function clusterWith(names: Readonly<Record<string, readonly string[]>>) {
  const asked: Readonly<Record<string, string>>[] = [];
  const deleted: string[] = [];
  const cluster = {
    list: async ({ kind }: { kind: string }, labels: Readonly<Record<string, string>>) => {
      asked.push(labels);
      const found = names[kind];
      if (found === undefined) throw new ApiError(403, "{}");
      return found.map((name) => ({ metadata: { name } }));
    },
    get: async ({ kind, name }: { kind: string; name: string }) =>
      deleted.includes(`${kind} ${name}`) ? undefined : { metadata: { name, uid: name } },
    delete: async ({ kind, name }: { kind: string; name: string }) => void deleted.push(`${kind} ${name}`),
  };
  return { cluster: cluster as unknown as Cluster, asked, deleted };
}

const deployment = {
  resources: [
    { urn: "a", type: "kubernetes:core/v1:ConfigMap", id: "routes/gateway-files-1" },
    { urn: "b", type: "kubernetes:batch/v1:Job", id: "routes/migrate-1" },
    { urn: "c", type: "kubernetes:core/v1:Secret", id: "routes/same-name" },
  ],
};

test("deletes objects of the state's label that the state lacks, by kind and name", async () => {
  const { cluster, asked, deleted } = clusterWith({
    ConfigMap: ["gateway-files-1", "gateway-files-2", "same-name"],
    Secret: ["same-name"],
    Job: ["migrate-1", "migrate-2"],
  });
  const owner = { place, owner: "identity", deployment };
  expect(await removeLostObjects(cluster, owner, lostKinds.after, signal)).toEqual([
    "migrate-2",
    "gateway-files-2",
    "same-name",
  ]);
  expect(deleted).toEqual(["Job migrate-2", "ConfigMap gateway-files-2", "ConfigMap same-name"]);
  expect(asked[0]).toEqual({ "app.kubernetes.io/instance": "routeql-prod", "com.routeql.state": "identity" });
});

test("before an update deletes only jobs, because a workload may mount the files", async () => {
  const { cluster, deleted } = clusterWith({ ConfigMap: ["gateway-files-2"], Secret: ["x"], Job: ["migrate-2"] });
  await removeLostObjects(cluster, { place, owner: "identity", deployment }, lostKinds.before, signal);
  expect(deleted).toEqual(["Job migrate-2"]);
});

test("without the right to list, lost objects stay", async () => {
  const { cluster, deleted } = clusterWith({});
  expect(await removeLostObjects(cluster, { place, owner: "identity", deployment }, lostKinds.after, signal)).toEqual(
    [],
  );
  expect(deleted).toEqual([]);
});
