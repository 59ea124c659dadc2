import type { Cluster } from "@routeql/host/kubernetes/cluster";
import type { KubernetesObject } from "@routeql/host/kubernetes/objects";

/** What a look at an object says: it is ready, it never will be, or what it still waits for. */
export type Readiness = { readonly ready: true } | { readonly failed: string } | { readonly waitsFor: string };

export const ready: Readiness = { ready: true };

/** Judges one kind of object. */
export type ReadinessCheck = (object: KubernetesObject, cluster: Cluster, signal: AbortSignal) => Readiness | Promise<Readiness>;
