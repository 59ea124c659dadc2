import { describePod } from "@routeql/host/kubernetes/readiness";
import { conditionOf, field, type KubernetesObject, listAt, numberAt, textAt } from "@routeql/host/kubernetes/objects";
import type { Execute } from "@routeql/host/program-streams";
import { askInside } from "../../status/health-detail.ts";
import { type MetricFacts, metricFacts } from "../../status/service-metrics.ts";
import type { ServiceState } from "../../status/report.ts";
import { connectTo, type Connection } from "../connection/connect.ts";
import { executeInPod } from "../connection/execute.ts";
import type { Place } from "../place.ts";
import { listPods, podOf } from "../pods.ts";

/** States of the pods of a stack. A service without pods is left out. */
export async function clusterServiceStates(place: Place, stack: string, signal: AbortSignal): Promise<ServiceState[]> {
  const connection = await connectTo(place, stack, signal);
  const pods = await listPods(connection.cluster, place, { signal });
  // A pod that is being deleted belongs to the past of its service.
  const present = pods.filter((pod) => field(pod, "metadata", "deletionTimestamp") === undefined);
  const states = await Promise.all(
    present.map(async (pod) => ({ ...podState(pod), ...(await answerOf(connection, place, pod, signal)) })),
  );
  return withoutReplaced(states.filter(({ service }) => service !== ""));
}

/** Leaves out failed pods whose service has a pod that works or succeeded: attempts of a job, and evicted pods. */
export function withoutReplaced(states: readonly ServiceState[]): ServiceState[] {
  const works = new Set(
    states.filter(({ state, health }) => state === "succeeded" || health === "healthy").map(({ service }) => service),
  );
  return states.filter(({ service, state }) => state !== "failed" || !works.has(service));
}

export function podState(pod: KubernetesObject): ServiceState {
  const phase = textAt(pod, "status", "phase") ?? "Unknown";
  const [status] = listAt(pod, "status", "containerStatuses");
  const isJob = (listAt(pod, "metadata", "ownerReferences") as readonly { kind?: string }[]).some(
    ({ kind }) => kind === "Job",
  );
  const exitCode = field(status, "state", "terminated", "exitCode");
  const ready = conditionOf(pod, "Ready") as { status: string; lastTransitionTime?: string } | undefined;
  return {
    service: podOf(pod).service,
    container: pod.metadata.name,
    kind: isJob ? "job" : "service",
    state: phase.toLowerCase(),
    health: phase === "Running" && !isJob ? (ready?.status === "True" ? "healthy" : "unhealthy") : undefined,
    exitCode: typeof exitCode === "number" ? exitCode : undefined,
    image: textAt(listAt(pod, "spec", "containers")[0], "image") ?? "",
    restarts: numberAt(status, "restartCount"),
    since:
      textAt(status, "state", "running", "startedAt") ??
      textAt(status, "state", "terminated", "finishedAt") ??
      ready?.lastTransitionTime,
    detail: describePod(pod)[0],
  };
}

/** Facts that a running pod gives itself: the cause for which it is not ready, and its metrics. */
async function answerOf(
  { config }: Connection,
  place: Place,
  object: KubernetesObject,
  signal: AbortSignal,
): Promise<Pick<ServiceState, "detail"> & MetricFacts> {
  const pod = podOf(object);
  if (textAt(object, "status", "phase") !== "Running") return {};
  const execute: Execute = (program, streams) => executeInPod(config, place, pod, program, streams);
  const detail = pod.ready ? undefined : await askInside(pod.service, execute, signal);
  const metrics = await metricFacts(pod.service, execute, signal);
  return { ...(detail === undefined ? {} : { detail }), ...metrics };
}
