import { ApiError } from "@routeql/host/kubernetes/client";
import type { Cluster } from "@routeql/host/kubernetes/cluster";
import { conditionOf } from "@routeql/host/kubernetes/objects";
import { instanceLabels } from "@routeql/host/kubernetes/stack-objects";
import type { Problem } from "../../status/report.ts";
import type { Place } from "../place.ts";

/** Autoscalers that read no metrics, so that the number of pods does not follow the load. None without the right to list them. */
export async function autoscalerProblems(
  cluster: Pick<Cluster, "list">,
  place: Place,
  signal?: AbortSignal,
): Promise<Problem[]> {
  const kind = { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", namespace: place.namespace };
  const found = await cluster.list(kind, instanceLabels(place), signal).catch((error: unknown) => {
    if (error instanceof ApiError && error.code === 403) return [];
    throw error;
  });
  const blind = found.filter((autoscaler) => {
    const active = conditionOf(autoscaler, "ScalingActive");
    return active?.status === "False" && (active.reason ?? "").startsWith("FailedGet");
  });
  if (blind.length === 0) return [];
  const reason = conditionOf(blind[0]!, "ScalingActive")?.message;
  return [
    {
      subject: "autoscaler",
      reason: `reads no metrics of ${blind.map(({ metadata }) => metadata.name).join(", ")}: ${reason}`,
      next: "install metrics-server, or set equal minimum and maximum replicas: docs/operate/kubernetes.md#scaling",
    },
  ];
}
