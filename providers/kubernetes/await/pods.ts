import type { Cluster } from "@routeql/host/kubernetes/cluster";
import { conditionOf, field, type KubernetesObject, listAt, textAt } from "@routeql/host/kubernetes/objects";
import { ready, type Readiness } from "./readiness.ts";

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
