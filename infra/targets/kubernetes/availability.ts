import { HorizontalPodAutoscaler } from "@pulumi/kubernetes/autoscaling/v2/index.js";
import { PodDisruptionBudget } from "@pulumi/kubernetes/policy/v1/index.js";
import type { Resource } from "@pulumi/pulumi";
import type { ServiceDescription } from "../../services/description.ts";
import { metadataOf, selectorOf } from "./scope.ts";
import type { Scope } from "./scope.ts";
import type { Replicas } from "./workload.ts";

/** Share of the promised processor time, in per cent, that the autoscaler aims at. */
const aimedAt = 70;
/** Seconds of less load before a replica is given up: live queries move with it. */
const calmSeconds = 300;

/** One pod at a time may be taken away by a drain. A single pod has no budget: one would keep its node from ever being drained. */
export function disruptionBudget(service: ServiceDescription, { least }: Replicas, scope: Scope, parent: Resource): void {
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

/** Lets the number of replicas follow the load of the processor, where it may. */
export function autoscaler(service: ServiceDescription, { least, most }: Replicas, scope: Scope, parent: Resource): void {
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
