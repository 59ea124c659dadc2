import { expect, test } from "vitest";
import { clusterDatabase, databaseAddress } from "@routeql/infra/services/database-place";
import { ApiError } from "@routeql/host/kubernetes/client";
import type { Cluster } from "@routeql/host/kubernetes/cluster";
import type { DatabaseReach } from "../../pulumi/outputs.ts";
import { databasePod, runsItself } from "./database-pod.ts";
import { isDown } from "../pods.ts";

const place = { server: "https://a.example.net:6443", namespace: "routes", instance: "routeql-prod" };
const reach = (host: string): { database: DatabaseReach } => ({
  database: { host, port: 5432, name: "routeql", secondLogins: false, clientImage: "routeql/database:1" },
});
const operated = reach(clusterDatabase({ readFromCopies: true }).host);

const instance = (name: string, role: string) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name,
    labels: {
      "app.kubernetes.io/name": "database",
      "app.kubernetes.io/instance": place.instance,
      "cnpg.io/cluster": "database",
      "cnpg.io/instanceRole": role,
    },
  },
  spec: { containers: [{ name: "postgres" }] },
  status: { phase: "Running", conditions: [{ type: "Ready", status: "True" } as object] },
});

/** An API server with these pods, and with this object for any other name. */
function clusterWith(pods: readonly ReturnType<typeof instance>[], named?: object): Cluster {
  const list = async (_kind: object, labels: Readonly<Record<string, string>>) =>
    pods.filter(({ metadata }) =>
      Object.entries(labels).every(([name, value]) => (metadata.labels as Record<string, string>)[name] === value),
    );
  return { list, get: async () => named } as unknown as Cluster;
}

test("uses the primary of a cluster of instances", async () => {
  const cluster = clusterWith([
    instance("database-1", "replica"),
    instance("database-2", "primary"),
    instance("database-3", "replica"),
  ]);
  expect(await databasePod(cluster, place, operated, "prod")).toMatchObject({
    name: "database-2",
    container: "postgres",
  });
  await expect(
    databasePod(clusterWith([instance("database-1", "replica")], {}), place, operated, "prod"),
  ).rejects.toThrow("No pod of database in the namespace routes is ready");
});

test("reports why a pod is not ready, and a namespace that does not exist", async () => {
  const pod = instance("database-1", "primary");
  const waiting = {
    ...pod,
    status: {
      phase: "Pending",
      conditions: [{ type: "PodScheduled", status: "False", message: "0/3 nodes are available" }],
    },
  };
  const own = reach(databaseAddress.host);
  await expect(databasePod(clusterWith([waiting]), place, own, "prod")).rejects.toMatchObject({
    message: "No pod of database in the namespace routes is ready",
    lastLines: ["pod database-1 has no node: 0/3 nodes are available"],
  });
  await expect(databasePod(clusterWith([]), place, own, "prod")).rejects.toThrow(
    "The cluster https://a.example.net:6443 has no namespace routes",
  );
  const mayNotAsk = { list: async () => [], get: () => Promise.reject(new ApiError(403, "{}")) } as unknown as Cluster;
  await expect(databasePod(mayNotAsk, place, own, "prod")).rejects.toThrow(
    "No pod of database in the namespace routes is ready",
  );
});

test("an external database has no pod", () => {
  expect(runsItself(reach("db.example.net").database)).toBe(false);
  for (const { database } of [operated, reach(databaseAddress.host)]) expect(runsItself(database)).toBe(true);
});

test("a database is down without a pod, and without a StatefulSet that wants one", async () => {
  const pod = instance("database-0", "");
  const starting = { ...pod, status: { phase: "Pending", conditions: [] } };
  const labels = { ...pod.metadata.labels, "app.kubernetes.io/name": "sessions" };
  const other = { ...pod, metadata: { ...pod.metadata, labels } };
  const isDownWith = (pods: readonly (typeof pod)[], replicas?: number) => {
    const sets = replicas === undefined ? [] : [{ ...pod, kind: "StatefulSet", spec: { replicas } }];
    const list: Cluster["list"] = async (kind, labels) =>
      kind.kind === "Pod" ? clusterWith(pods).list(kind, labels) : sets;
    return isDown({ list }, place, "database");
  };
  expect(await isDownWith([starting])).toBe(false);
  expect(await isDownWith([other])).toBe(true);
  // Between two pods: a drain, or a quota that refuses the next one.
  expect(await isDownWith([], 1)).toBe(false);
  expect(await isDownWith([], 0)).toBe(true);
});
