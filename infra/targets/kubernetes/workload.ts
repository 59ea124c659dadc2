import { Deployment, StatefulSet } from "@pulumi/kubernetes/apps/v1/index.js";
import { HorizontalPodAutoscaler } from "@pulumi/kubernetes/autoscaling/v2/index.js";
import { PodDisruptionBudget } from "@pulumi/kubernetes/policy/v1/index.js";
import type { CustomResourceOptions, Input, Resource } from "@pulumi/pulumi";
import type { ServiceDescription } from "../../description/service.ts";
import { dataVolume, type PodParts, podTemplate, startWithin } from "./pod.ts";
import { metadataOf, type Scope, selectorOf } from "./scope.ts";

/** Replicas of a service without data. */
export interface Replicas {
  readonly least: number;
  /** If it exceeds the minimum, the number follows the load. */
  readonly most: number;
  /** The last update had an autoscaler. With equal bounds it stays for one more: deleted last, it would undo fewer replicas on a full cluster. */
  readonly autoscaledBefore?: boolean;
}

/** Volume of a service with data. */
export interface Storage {
  /** Kubernetes' form: `20Gi`. */
  readonly size: Input<string>;
  /** Default: the cluster's default class. */
  readonly storageClass?: Input<string> | undefined;
}

export interface WorkloadParts extends PodParts {
  readonly options: CustomResourceOptions;
}

/** A service without data. A new version rolls out pod by pod, each ready before an old one ends. */
export function deployment(service: ServiceDescription, { least, most }: Replicas, parts: WorkloadParts): Deployment {
  const { scope, options } = parts;
  return new Deployment(
    scope.named(service.name),
    {
      metadata: metadataOf(service.name, service.name, scope),
      spec: {
        // With autoscaling only the autoscaler sets the number.
        ...(most > least ? {} : { replicas: least }),
        revisionHistoryLimit: 3,
        progressDeadlineSeconds: startWithin + 60,
        selector: { matchLabels: { ...selectorOf(service.name, scope) } },
        strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
        template: podTemplate(service, parts),
      },
    },
    options,
  );
}

/** A service with data: one pod with a volume that outlives the pod and the workload. */
export function statefulSet(
  service: ServiceDescription,
  { size, storageClass }: Storage,
  parts: WorkloadParts,
): StatefulSet {
  const { scope, options } = parts;
  return new StatefulSet(
    scope.named(service.name),
    {
      metadata: metadataOf(service.name, service.name, scope),
      spec: {
        serviceName: service.name,
        replicas: 1,
        revisionHistoryLimit: 3,
        selector: { matchLabels: { ...selectorOf(service.name, scope) } },
        persistentVolumeClaimRetentionPolicy: { whenDeleted: "Retain", whenScaled: "Retain" },
        template: podTemplate(service, parts),
        volumeClaimTemplates: [
          {
            metadata: { name: dataVolume, labels: { ...selectorOf(service.name, scope) } },
            spec: {
              accessModes: ["ReadWriteOnce"],
              ...(storageClass === undefined ? {} : { storageClassName: storageClass }),
              resources: { requests: { storage: size } },
            },
          },
        ],
      },
    },
    options,
  );
}

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
  { least, most, autoscaledBefore = false }: Replicas,
  scope: Scope,
  parent: Resource,
): void {
  if (most <= least && !autoscaledBefore) return;
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
