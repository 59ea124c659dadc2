import { expect, test } from "vitest";
import { ApiError } from "@routeql/host/kubernetes/client";
import type { KubernetesObject } from "@routeql/host/kubernetes/objects";
import { autoscalerProblems } from "./autoscalers.ts";

const place = { server: "https://cluster.example.net", namespace: "routeql", instance: "routeql-prod" };
const autoscaler = (name: string, status: string, reason: string): KubernetesObject => ({
  apiVersion: "autoscaling/v2",
  kind: "HorizontalPodAutoscaler",
  metadata: { name },
  status: { conditions: [{ type: "ScalingActive", status, reason, message: "no metrics returned" }] },
});

test("names autoscalers without metrics in one problem", async () => {
  const list = async () => [
    autoscaler("engine", "False", "FailedGetResourceMetric"),
    autoscaler("gateway", "False", "FailedGetResourceMetric"),
    autoscaler("front", "False", "ScalingDisabled"),
    autoscaler("auth-sidecar", "True", "ValidMetricFound"),
  ];
  const problems = await autoscalerProblems({ list }, place);
  expect(problems.map(({ subject, reason }) => ({ subject, reason }))).toEqual([
    { subject: "autoscaler", reason: "reads no metrics of engine, gateway: no metrics returned" },
  ]);
});

test("reports nothing without the right to list autoscalers", async () => {
  const list = async () => {
    throw new ApiError(403, "{}");
  };
  expect(await autoscalerProblems({ list }, place)).toEqual([]);
});
