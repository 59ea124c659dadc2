import type { Cluster } from "@routeql/host/kubernetes/cluster";
import type { KubernetesObject } from "@routeql/host/kubernetes/objects";

/** State of an object: ready, failed for good, or still waiting with the reason. */
export type Readiness = { readonly ready: true } | { readonly failed: string } | { readonly waitsFor: string };

export const ready: Readiness = { ready: true };

/** Judges one kind of object. */
export type ReadinessCheck = (
  object: KubernetesObject,
  cluster: Cluster,
  signal: AbortSignal,
) => Readiness | Promise<Readiness>;
