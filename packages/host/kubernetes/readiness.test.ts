import { expect, test } from "vitest";
import type { KubernetesObject } from "./objects.ts";
import { waitedFor } from "./await.ts";
import { deploymentReadiness, describePod, jobReadiness, podReadiness, statefulSetReadiness } from "./readiness.ts";

const object = (spec: object, status: object, generation = 2): KubernetesObject => ({
  apiVersion: "v1",
  kind: "Thing",
  metadata: { name: "thing", generation },
  spec,
  status,
});
const rolledOut = { observedGeneration: 2, replicas: 2, updatedReplicas: 2, availableReplicas: 2 };

test.each([
  ["all pods are new and available", rolledOut, { ready: true }],
  [
    "the controller has not seen it",
    { ...rolledOut, observedGeneration: 1 },
    { waitsFor: expect.stringContaining("controller") },
  ],
  [
    "pods of the old version remain",
    { ...rolledOut, replicas: 3 },
    { waitsFor: "1 pods of the old version are still there" },
  ],
  ["too few new pods", { ...rolledOut, updatedReplicas: 1 }, { waitsFor: "1 of 2 pods are of the new version" }],
  ["new pods are not available", { ...rolledOut, availableReplicas: 1 }, { waitsFor: "1 of 2 pods are available" }],
  [
    "the rollout makes no progress",
    {
      observedGeneration: 2,
      conditions: [{ type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded", message: "timed out" }],
    },
    { failed: "timed out" },
  ],
])("a Deployment: %s", (_title, status, expected) => {
  expect(deploymentReadiness(object({ replicas: 2 }, status))).toEqual(expected);
});

test.each([
  ["ready", { observedGeneration: 2, readyReplicas: 1, currentRevision: "a", updateRevision: "a" }, { ready: true }],
  ["not ready", { observedGeneration: 2 }, { waitsFor: "0 of 1 pods are ready" }],
  [
    "of an older revision",
    { observedGeneration: 2, readyReplicas: 1, currentRevision: "a", updateRevision: "b" },
    { waitsFor: "0 of 1 pods are of the new revision" },
  ],
])("a StatefulSet: %s", (_title, status, expected) => {
  expect(statefulSetReadiness(object({}, status))).toEqual(expected);
});

test.each([
  [[{ type: "Complete", status: "True" }], { ready: true }],
  [[{ type: "Failed", status: "True", message: "backoff limit" }], { failed: "the job has failed: backoff limit" }],
  [[], { waitsFor: "the job has not ended" }],
])("a Job with the conditions %j", (conditions, expected) => {
  expect(jobReadiness(object({}, { conditions }))).toEqual(expected);
});

test("reports why a pod is not ready: no node, an image error, an exit", () => {
  expect(podReadiness(object({}, { phase: "Running", conditions: [{ type: "Ready", status: "True" }] }))).toEqual({
    ready: true,
  });
  expect(podReadiness(object({}, { phase: "Failed", message: "evicted" }))).toEqual({ failed: "evicted" });
  const pod = object(
    {},
    {
      phase: "Pending",
      conditions: [{ type: "PodScheduled", status: "False", message: "0/1 nodes are available" }],
      initContainerStatuses: [{ name: "first", state: { terminated: { exitCode: 3 } } }],
      containerStatuses: [
        { name: "main", state: { waiting: { reason: "ErrImagePull", message: "no such image" } } },
        { name: "made", state: { waiting: { reason: "ContainerCreating" } } },
      ],
    },
  );
  expect(describePod(pod)).toEqual([
    "pod thing has no node: 0/1 nodes are available",
    "pod thing, container first: ended with exit code 3",
    "pod thing, container main: ErrImagePull (no such image)",
    "pod thing, container made: not ready",
  ]);
});

test.each([
  ["condition=Ready", { ready: true }],
  ["condition=Other", { waitsFor: "Other is not True" }],
])("the annotation pulumi.com/waitFor: %s", (expression, expected) => {
  const ready = object({}, { phase: "Done", conditions: [{ type: "Ready", status: "True", message: "it is" }] });
  expect(waitedFor(expression, ready)).toEqual(expected);
});

test("rejects an unsupported form of the annotation and names it", () => {
  expect(() => waitedFor("delete", object({}, {}))).toThrow(/pulumi.com\/waitFor: delete; use the official provider/);
});
