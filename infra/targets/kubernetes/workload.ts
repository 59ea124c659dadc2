import { Deployment, StatefulSet } from "@pulumi/kubernetes/apps/v1/index.js";
import type { CustomResourceOptions } from "@pulumi/pulumi";
import type { ServiceDescription } from "../../services/description.ts";
import { dataVolume, podTemplate } from "./pod.ts";
import type { PodParts } from "./pod.ts";
import { startWithin } from "./probes.ts";
import { metadataOf, selectorOf } from "./scope.ts";

/** How many pods a service without data has. */
export interface Replicas {
  readonly least: number;
  /** More than the least: their number follows the load. */
  readonly most: number;
}

/** Volume of a service with data. */
export interface Storage {
  /** Kubernetes' form: `20Gi`. */
  readonly size: string;
  /** Default: the cluster's own default class. */
  readonly storageClass?: string | undefined;
}

export interface WorkloadParts extends PodParts {
  readonly options: CustomResourceOptions;
}

/** A service without data. A new version takes over pod by pod, each ready before an old one goes. */
export function deployment(service: ServiceDescription, { least, most }: Replicas, parts: WorkloadParts): Deployment {
  const { scope, options } = parts;
  return new Deployment(
    scope.named(service.name),
    {
      metadata: metadataOf(service.name, service.name, scope),
      spec: {
        // Where the number follows the load it is the autoscaler's alone.
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

/** A service with data: one pod, whose volume outlives it and the workload. */
export function statefulSet(service: ServiceDescription, { size, storageClass }: Storage, parts: WorkloadParts): StatefulSet {
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
