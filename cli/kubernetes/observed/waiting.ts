/** Why pods of a stack are not ready or not created: read from pods and events, for the terminal during an update. */
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "@routeql/host/failure";
import { isPassing } from "@routeql/host/kubernetes/client";
import type { Cluster } from "@routeql/host/kubernetes/cluster";
import { field, type KubernetesObject, listAt, textAt } from "@routeql/host/kubernetes/objects";
import { describePod, podReadiness } from "@routeql/host/kubernetes/readiness";
import { instanceLabels } from "@routeql/host/kubernetes/stack-objects";
import type { Place } from "../place.ts";
import { listPods } from "../pods.ts";

/** Kinds that create pods. A quota or an admission rule that rejects a pod shows only in their events. */
const creators = [
  { apiVersion: "apps/v1", kind: "ReplicaSet" },
  { apiVersion: "apps/v1", kind: "StatefulSet" },
  { apiVersion: "batch/v1", kind: "Job" },
] as const;

const unpulled = /^(ErrImagePull|ImagePullBackOff|ErrImageNeverPull|InvalidImageName)$/;

/** Milliseconds of the last time that an event was seen; old and new reporters use different fields. */
function seenAt(event: KubernetesObject): number {
  const texts = [
    textAt(event, "series", "lastObservedTime"),
    textAt(event, "lastTimestamp"),
    textAt(event, "eventTime"),
    textAt(event, "metadata", "creationTimestamp"),
  ];
  return Date.parse(texts.find((text) => text !== undefined) ?? "");
}

/** The newest event of each object, by the object's uid. */
function newestByObject(events: readonly KubernetesObject[]): ReadonlyMap<string, KubernetesObject> {
  const sorted = events.toSorted((one, other) => seenAt(one) - seenAt(other));
  return new Map(sorted.map((event) => [textAt(event, "involvedObject", "uid") ?? "", event]));
}

/** Images that the nodes cannot pull. */
function missingImages(pods: readonly KubernetesObject[]): readonly string[] {
  const statuses = pods.flatMap((pod) =>
    ["initContainerStatuses", "containerStatuses"].flatMap((name) => listAt(pod, "status", name)),
  );
  return statuses.flatMap((status) =>
    unpulled.test(textAt(status, "state", "waiting", "reason") ?? "") ? (textAt(status, "image") ?? []) : [],
  );
}

/** The reasons, the most general first; none while nothing waits. @param since events before this time, in milliseconds, do not count */
export async function waitingReasons(
  cluster: Pick<Cluster, "list">,
  place: Place,
  since: number,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const { namespace } = place;
  const [pods, services, events, ...owners] = await Promise.all([
    listPods(cluster, place, { signal }),
    cluster.list({ apiVersion: "v1", kind: "Service", namespace }, instanceLabels(place), signal),
    cluster.list({ apiVersion: "v1", kind: "Event", namespace }, {}, signal),
    ...creators.map((kind) => cluster.list({ ...kind, namespace }, instanceLabels(place), signal)),
  ]);
  const newest = newestByObject(events.filter((event) => seenAt(event) >= since));
  const eventOf = ({ metadata }: KubernetesObject): KubernetesObject | undefined => newest.get(metadata.uid ?? "");
  const rejected = owners.flat().flatMap((owner) => {
    const event = eventOf(owner);
    return field(event, "reason") === "FailedCreate"
      ? [`${owner.kind} ${owner.metadata.name} cannot create pods: ${textAt(event, "message")}`]
      : [];
  });
  const waiting = pods.filter((pod) => "waitsFor" in podReadiness(pod));
  const missing = missingImages(waiting).map(
    (image) =>
      `the nodes cannot pull ${image}: kind load docker-image ${image}, minikube image load ${image}, or ctr images import`,
  );
  const described = waiting.flatMap((pod) => {
    const event = eventOf(pod);
    const pulls = field(event, "reason") === "Pulling" ? textAt(event, "message") : undefined;
    return pulls === undefined ? describePod(pod) : [`pod ${pod.metadata.name}: ${pulls}`];
  });
  const unreachable = services.flatMap(({ metadata, spec, status }) =>
    textAt(spec, "type") === "LoadBalancer" && listAt(status, "loadBalancer", "ingress").length === 0
      ? [`Service ${metadata.name}: the cluster's load balancer has given no address yet`]
      : [],
  );
  return [...new Set([...rejected, ...missing, ...described, ...unreachable])];
}

/**
 * Asks for the reasons again and again, and passes them on until the signal aborts. A cluster that does not answer is a reason. Rights that
 * do not include events leave the update as it is.
 */
export async function reportWaiting(
  ask: (signal: AbortSignal) => Promise<readonly string[]>,
  report: (reasons: readonly string[]) => void,
  signal: AbortSignal,
  everyMilliseconds = 3_000,
): Promise<void> {
  while (!signal.aborted) {
    await sleep(everyMilliseconds, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    report(await ask(signal).catch((error: unknown) => (isPassing(error) ? [messageOf(error)] : [])));
  }
}
