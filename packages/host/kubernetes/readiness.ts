import type { Cluster } from "./cluster.ts";
import { conditionOf, field, type KubernetesObject, listAt, numberAt, textAt } from "./objects.ts";

/** State of an object: ready, failed for good, or still waiting with the reason. */
export type Readiness = { readonly ready: true } | { readonly failed: string } | { readonly waitsFor: string };

export const ready: Readiness = { ready: true };

/** Judges one kind of object. */
export type ReadinessCheck = (
  object: KubernetesObject,
  cluster: Cluster,
  signal: AbortSignal,
) => Readiness | Promise<Readiness>;

const observed = (object: KubernetesObject): boolean =>
  numberAt(object, "status", "observedGeneration") >= (object.metadata.generation ?? 0);

const wanted = (object: KubernetesObject): number => {
  const replicas = field(object, "spec", "replicas");
  return typeof replicas === "number" ? replicas : 1;
};

/** Ready when every pod has the newest template and is available, and no older pod remains (as `kubectl rollout status`). */
export function deploymentReadiness(object: KubernetesObject): Readiness {
  if (!observed(object)) return { waitsFor: "its controller has not processed it yet" };
  const progressing = conditionOf(object, "Progressing");
  if (progressing?.reason === "ProgressDeadlineExceeded")
    return { failed: progressing.message ?? "the rollout makes no progress" };
  const [replicas, updated, available, all] = [
    wanted(object),
    ...["updatedReplicas", "availableReplicas", "replicas"].map((name) => numberAt(object, "status", name)),
  ];
  if (updated! < replicas) return { waitsFor: `${updated} of ${replicas} pods are of the new version` };
  if (all! > updated!) return { waitsFor: `${all! - updated!} pods of the old version are still there` };
  if (available! < updated!) return { waitsFor: `${available} of ${updated} pods are available` };
  return ready;
}

/** Ready when every pod has the newest revision and is ready. */
export function statefulSetReadiness(object: KubernetesObject): Readiness {
  if (!observed(object)) return { waitsFor: "its controller has not processed it yet" };
  const replicas = wanted(object);
  const readyReplicas = numberAt(object, "status", "readyReplicas");
  if (readyReplicas < replicas) return { waitsFor: `${readyReplicas} of ${replicas} pods are ready` };
  const [current, update] = [field(object, "status", "currentRevision"), field(object, "status", "updateRevision")];
  const updated = numberAt(object, "status", "updatedReplicas");
  const onDelete = field(object, "spec", "updateStrategy", "type") === "OnDelete";
  if (!onDelete && current !== update && updated < replicas)
    return { waitsFor: `${updated} of ${replicas} pods are of the new revision` };
  return ready;
}

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

interface ContainerStatus {
  readonly name: string;
  readonly ready?: boolean;
  readonly restartCount?: number;
  readonly state?: {
    readonly waiting?: { readonly reason?: string; readonly message?: string };
    readonly terminated?: { readonly reason?: string; readonly exitCode?: number };
  };
}

const logLines = 20;

export function podReadiness(pod: KubernetesObject): Readiness {
  const phase = field(pod, "status", "phase");
  if (phase === "Succeeded" || conditionOf(pod, "Ready")?.status === "True") return ready;
  if (phase === "Failed") return { failed: textAt(pod, "status", "message") ?? "the pod has failed" };
  return { waitsFor: describePod(pod).join("; ") || "the pod is not ready" };
}

const statusesOf = (pod: KubernetesObject): readonly ContainerStatus[] =>
  ["initContainerStatuses", "containerStatuses"].flatMap(
    (name) => listAt(pod, "status", name) as readonly ContainerStatus[],
  );

/** The reason why a pod is not ready. */
export function describePod(pod: KubernetesObject): string[] {
  const scheduled = conditionOf(pod, "PodScheduled");
  const unscheduled =
    scheduled?.status === "False"
      ? [`pod ${pod.metadata.name} has no node: ${scheduled.message ?? scheduled.reason}`]
      : [];
  const containers = statusesOf(pod).flatMap(({ name, state, ready: isReady, restartCount = 0 }) => {
    const where = `pod ${pod.metadata.name}, container ${name}`;
    if (state?.waiting?.reason && !/^(ContainerCreating|PodInitializing)$/.test(state.waiting.reason))
      return [`${where}: ${state.waiting.reason}${state.waiting.message ? ` (${state.waiting.message})` : ""}`];
    if (state?.terminated && state.terminated.exitCode !== 0)
      return [`${where}: ended with exit code ${state.terminated.exitCode}`];
    return isReady || state?.terminated
      ? []
      : [`${where}: not ready${restartCount > 0 ? `, restarted ${restartCount} times` : ""}`];
  });
  return [...unscheduled, ...containers];
}

/** Problems of a workload's pods, and the last log lines of failed ones. */
export async function troubleOf(workload: KubernetesObject, cluster: Cluster, signal: AbortSignal): Promise<string[]> {
  const labels = field(workload, "spec", "selector", "matchLabels") as Readonly<Record<string, string>> | undefined;
  const namespace = workload.metadata.namespace;
  if (!labels || namespace === undefined) return [];
  const pods = await cluster.list({ apiVersion: "v1", kind: "Pod", namespace }, labels, signal);
  const troubled = pods.filter((pod) => "waitsFor" in podReadiness(pod) || "failed" in podReadiness(pod));
  const lines = troubled.flatMap(describePod);
  const last = troubled.at(-1);
  return last ? [...lines, ...(await logTail(last, cluster, signal))] : lines;
}

async function logTail(pod: KubernetesObject, cluster: Cluster, signal: AbortSignal): Promise<string[]> {
  const status =
    statusesOf(pod).find(({ ready: isReady, state }) => !isReady && state?.terminated?.exitCode !== 0) ??
    statusesOf(pod).at(-1);
  if (!status) return [];
  // A container that never started has no log.
  const text = await cluster
    .logTail(pod.metadata.namespace!, pod.metadata.name, status.name, logLines, signal)
    .catch(() => "");
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.length === 0 ? [] : [`the last lines of ${pod.metadata.name}:`, ...lines.map((line) => `  ${line}`)];
}
