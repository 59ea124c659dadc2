import { HorizontalPodAutoscaler } from "@pulumi/kubernetes/autoscaling/v2/index.js";
import { PodDisruptionBudget } from "@pulumi/kubernetes/policy/v1/index.js";
import type { Resource } from "@pulumi/pulumi";
import type { ServiceDescription } from "../../services/description.ts";
import { metadataOf, selectorOf } from "./scope.ts";
import type { Scope } from "./scope.ts";
import type { Replicas } from "./workload.ts";

/** Target of the autoscaler: share of the requested processor time, in per cent. */
const aimedAt = 70;
/** Seconds of lower load before a replica is removed, because live queries move with it. */
const calmSeconds = 300;

/** A drain may evict one pod at a time. A single pod has no budget: it would block the drain of its node. */
export function disruptionBudget(
  service: ServiceDescription,
  { least }: Replicas,
  scope: Scope,
  parent: Resource,
): void {
  if (least < 2) return;
  void new PodDisruptionBudget(
    scope.named(service.name),
    {
      metadata: metadataOf(service.name, service.name, scope),
      spec: {
        maxUnavailable: 1,
        selector: { matchLabels: { ...selectorOf(service.name, scope) } },
        unhealthyPodEvictionPolicy: "AlwaysAllow",
      },
    },
    { parent },
  );
}

/** Autoscales a service's replicas by processor load, where configured. */
export function autoscaler(
  service: ServiceDescription,
  { least, most }: Replicas,
  scope: Scope,
  parent: Resource,
): void {
  if (most <= least) return;
  void new HorizontalPodAutoscaler(
    scope.named(service.name),
    {
      metadata: metadataOf(service.name, service.name, scope),
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: service.name },
        minReplicas: least,
        maxReplicas: most,
        metrics: [
          { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: aimedAt } } },
        ],
        behavior: { scaleDown: { stabilizationWindowSeconds: calmSeconds } },
      },
    },
    { parent },
  );
}
