import { expect, test } from "vitest";
import type { Cluster } from "@routeql/host/kubernetes/cluster";
import type { KubernetesObject } from "@routeql/host/kubernetes/objects";
import { ApiError } from "@routeql/host/kubernetes/client";
import { reportWaiting, waitingReasons } from "./waiting.ts";

const place = { server: "https://cluster.example.net", namespace: "routeql", instance: "routeql-prod" };
const start = Date.parse("2026-05-04T08:00:00Z");

type Objects = Readonly<Record<string, readonly object[]>>;

/** A cluster that answers lists from these objects, by kind. Pods and their creators need the instance label, events have none. */
function clusterWith(objects: Objects): Pick<Cluster, "list"> {
  return {
    list: async ({ kind, namespace }, labels) => {
      expect({ namespace, labels }).toEqual({
        namespace: "routeql",
        labels: kind === "Event" ? {} : { "app.kubernetes.io/instance": "routeql-prod" },
      });
      return (objects[kind] ?? []) as readonly KubernetesObject[];
    },
  };
}

const reasons = (objects: Objects): Promise<readonly string[]> => waitingReasons(clusterWith(objects), place, start);

const pod = (status: object): object => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "engine-1", uid: "pod-uid" },
  status: { phase: "Pending", ...status },
});

const event = (uid: string, reason: string, message: string, lastTimestamp = "2026-05-04T08:00:30Z"): object => ({
  apiVersion: "v1",
  kind: "Event",
  metadata: { name: `${reason}-${lastTimestamp}` },
  involvedObject: { uid },
  reason,
  message,
  lastTimestamp,
});

const creating = { containerStatuses: [{ name: "engine", state: { waiting: { reason: "ContainerCreating" } } }] };

test("names the scheduler's words for a pod without a node", async () => {
  const conditions = [{ type: "PodScheduled", status: "False", message: "0/1 nodes are available: 1 Too many pods." }];
  expect(await reasons({ Pod: [pod({ conditions })] })).toEqual([
    "pod engine-1 has no node: 0/1 nodes are available: 1 Too many pods.",
  ]);
});

test("names the image that a node pulls, until a newer event", async () => {
  const pulling = event("pod-uid", "Pulling", 'Pulling image "registry.example.net/engine:1"');
  expect(await reasons({ Pod: [pod(creating)], Event: [pulling] })).toEqual([
    'pod engine-1: Pulling image "registry.example.net/engine:1"',
  ]);
  const pulled = event("pod-uid", "Pulled", "Successfully pulled", "2026-05-04T08:00:31Z");
  expect(await reasons({ Pod: [pod(creating)], Event: [pulled, pulling] })).toEqual([
    "pod engine-1, container engine: not ready",
  ]);
});

test("names a missing image once with the command that loads it", async () => {
  const absent = pod({
    containerStatuses: [
      { name: "engine", image: "routeql/engine:1", state: { waiting: { reason: "ErrImageNeverPull" } } },
    ],
  });
  const [first, ...more] = await reasons({ Pod: [absent, absent] });
  expect(first).toBe(
    "the nodes cannot pull routeql/engine:1: kind load docker-image routeql/engine:1, minikube image load routeql/engine:1, or ctr images import",
  );
  expect(more).toEqual(["pod engine-1, container engine: ErrImageNeverPull"]);
});

test.each(["ReplicaSet", "StatefulSet", "Job"])("names the quota that keeps a %s from creating pods", async (kind) => {
  const owner = { apiVersion: "v1", kind, metadata: { name: "engine", uid: "owner-uid" } };
  const message = 'pods "engine-1" is forbidden: exceeded quota: small';
  expect(await reasons({ [kind]: [owner], Event: [event("owner-uid", "FailedCreate", message)] })).toEqual([
    `${kind} engine cannot create pods: ${message}`,
  ]);
  const before = event("owner-uid", "FailedCreate", message, "2026-05-04T07:59:00Z");
  expect(await reasons({ [kind]: [owner], Event: [before] })).toEqual([]);
});

test("names a load balancer without an address", async () => {
  const service = (ingress: readonly object[]): object => ({
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "gateway" },
    spec: { type: "LoadBalancer" },
    status: { loadBalancer: { ingress } },
  });
  expect(await reasons({ Service: [service([])] })).toEqual([
    "Service gateway: the cluster's load balancer has given no address yet",
  ]);
  expect(await reasons({ Service: [service([{ ip: "192.0.2.1" }])] })).toEqual([]);
});

test("ignores events of other applications, and pods that are ready", async () => {
  const serving = pod({ phase: "Running", conditions: [{ type: "Ready", status: "True" }] });
  expect(await reasons({ Pod: [serving], Event: [event("other", "FailedCreate", "exceeded quota")] })).toEqual([]);
});

test("reports until the update ends, also after a request that failed", async () => {
  const ends = new AbortController();
  const reported: (readonly string[])[] = [];
  let asked = 0;
  const ask = async (): Promise<readonly string[]> => {
    asked++;
    if (asked === 1) throw new ApiError(403, '{"message":"events is forbidden"}');
    if (asked === 2) throw new ApiError(503, '{"message":"the server is stopping"}');
    return ["pod engine-1 has no node"];
  };
  const report = (found: readonly string[]): void => {
    reported.push(found);
    if (reported.length === 3) ends.abort();
  };
  await reportWaiting(ask, report, ends.signal, 1);
  expect(reported).toEqual([[], ["the server is stopping"], ["pod engine-1 has no node"]]);
});
