/** Objects, events and logs of earlier containers, for the support bundle. Objects contain no secret, and Secrets are not read. */
import { messageOf } from "@routeql/host/failure";
import type { Cluster } from "@routeql/host/kubernetes/cluster";
import { type KubernetesObject, listAt, numberAt, textAt } from "@routeql/host/kubernetes/objects";
import { instanceLabels } from "@routeql/host/kubernetes/stack-objects";
import type { Evidence } from "../../place/stack-place.ts";
import { connectTo } from "../connection/connect.ts";
import type { Place } from "../place.ts";

const kinds = [
  ["v1", "Pod"],
  ["v1", "Service"],
  ["v1", "PersistentVolumeClaim"],
  ["apps/v1", "Deployment"],
  ["apps/v1", "StatefulSet"],
  ["batch/v1", "Job"],
  ["autoscaling/v2", "HorizontalPodAutoscaler"],
] as const;

/** Last lines of each container before its restart. */
const earlierLines = 500;

/** `2026-05-04T08:00:30Z Warning FailedCreate ReplicaSet/engine-1 (12 times): exceeded quota`, the newest last. */
function eventLines(events: readonly KubernetesObject[]): string {
  const lines = events.map((event) => {
    const time =
      textAt(event, "series", "lastObservedTime") ??
      textAt(event, "lastTimestamp") ??
      textAt(event, "eventTime") ??
      textAt(event, "metadata", "creationTimestamp");
    const object = `${textAt(event, "involvedObject", "kind")}/${textAt(event, "involvedObject", "name")}`;
    const times = Math.max(1, numberAt(event, "count"), numberAt(event, "series", "count"));
    return `${time} ${textAt(event, "type")} ${textAt(event, "reason")} ${object} (${times} times): ${textAt(event, "message")}`;
  });
  return lines
    .toSorted()
    .map((line) => `${line}\n`)
    .join("");
}

/** Without the fields that only the API server uses. */
function described(object: KubernetesObject): object {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

const restarted = (pod: KubernetesObject): readonly string[] =>
  listAt(pod, "status", "containerStatuses").flatMap((status) =>
    numberAt(status, "restartCount") > 0 ? (textAt(status, "name") ?? []) : [],
  );

type Reads = Pick<Cluster, "list" | "logTail">;

export async function evidenceOf(cluster: Reads, place: Place, signal: AbortSignal): Promise<readonly Evidence[]> {
  const { namespace } = place;
  const attempt = async (name: string, read: () => Promise<string>): Promise<Evidence> => ({
    name,
    text: await read().catch((error: unknown) => {
      signal.throwIfAborted();
      return `not readable: ${messageOf(error)}\n`;
    }),
  });
  const listed = (apiVersion: string, kind: string): Promise<readonly KubernetesObject[]> =>
    cluster.list({ apiVersion, kind, namespace }, kind === "Event" ? {} : instanceLabels(place), signal);
  const pods = await listed("v1", "Pod").catch((): readonly KubernetesObject[] => []);
  const earlier = pods.flatMap((pod) => restarted(pod).map((container) => ({ pod: pod.metadata.name, container })));
  return Promise.all([
    attempt("kubernetes/events.txt", async () => eventLines(await listed("v1", "Event"))),
    ...kinds.map(([apiVersion, kind]) =>
      attempt(
        `kubernetes/${kind.toLowerCase()}.json`,
        async () => `${JSON.stringify((await listed(apiVersion, kind)).map(described), undefined, 2)}\n`,
      ),
    ),
    ...earlier.map(({ pod, container }) =>
      attempt(`logs/${pod}.earlier.log`, () =>
        cluster.logTail(namespace, pod, container, earlierLines, signal, { previous: true }),
      ),
    ),
  ]);
}

export const clusterEvidence = async (place: Place, stack: string, signal: AbortSignal): Promise<readonly Evidence[]> =>
  evidenceOf((await connectTo(place, stack, signal)).cluster, place, signal);
