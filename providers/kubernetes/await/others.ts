import type { Cluster } from "@routeql/host/kubernetes/cluster";
import { conditionOf, field, type KubernetesObject, listAt, textAt } from "@routeql/host/kubernetes/objects";
import { ready, type Readiness } from "./readiness.ts";

export function jobReadiness(job: KubernetesObject): Readiness {
  const failed = conditionOf(job, "Failed");
  if (failed?.status === "True") return { failed: `the job has failed: ${failed.message ?? failed.reason}` };
  return conditionOf(job, "Complete")?.status === "True" ? ready : { waitsFor: "the job has not ended" };
}

interface EndpointSlice extends KubernetesObject {
  readonly endpoints?: readonly { readonly conditions?: { readonly ready?: boolean } }[];
}

/** Ready when it has ready pods and its load balancer has an address. A headless Service, or one without a selector, needs no pods. */
export async function serviceReadiness(
  service: KubernetesObject,
  cluster: Cluster,
  signal: AbortSignal,
): Promise<Readiness> {
  const { name, namespace } = service.metadata;
  const selector = field(service, "spec", "selector");
  const type = field(service, "spec", "type");
  const headless = field(service, "spec", "clusterIP") === "None";
  if (type !== "ExternalName" && !headless && selector !== undefined) {
    const slices = await cluster.list(
      { apiVersion: "discovery.k8s.io/v1", kind: "EndpointSlice", namespace },
      { "kubernetes.io/service-name": name },
      signal,
    );
    const anyReady = (slices as EndpointSlice[]).some(({ endpoints }) =>
      endpoints?.some(({ conditions }) => conditions?.ready !== false),
    );
    if (!anyReady) return { waitsFor: "it has no ready pod" };
  }
  if (type === "LoadBalancer" && listAt(service, "status", "loadBalancer", "ingress").length === 0) {
    return { waitsFor: "the load balancer has no address yet" };
  }
  return ready;
}

/** Ready when bound, unless its storage class waits for the first pod that uses the claim. */
export async function claimReadiness(
  claim: KubernetesObject,
  cluster: Cluster,
  signal: AbortSignal,
): Promise<Readiness> {
  const phase = textAt(claim, "status", "phase");
  if (phase === "Bound") return ready;
  const name = field(claim, "spec", "storageClassName");
  const storageClass =
    typeof name === "string" && name !== ""
      ? await cluster.get({ apiVersion: "storage.k8s.io/v1", kind: "StorageClass", name }, signal)
      : undefined;
  if (storageClass?.["volumeBindingMode"] === "WaitForFirstConsumer") return ready;
  return { waitsFor: `the claim is ${phase ?? "Pending"}` };
}

export const definitionReadiness = (definition: KubernetesObject): Readiness =>
  conditionOf(definition, "Established")?.status === "True" ? ready : { waitsFor: "the definition is not established" };
