import { Failure, messageOf } from "@routeql/host/failure";
import type { ApiClient } from "@routeql/host/kubernetes/client";
import { lineSplitter } from "@routeql/host/process";
import { type LogOptions, type LogReader, selectReaders } from "../../logs/logs.ts";
import { connectTo } from "../connection/connect.ts";
import type { Place } from "../place.ts";
import { type Pod, podsOf } from "../pods.ts";

/** The pods of a stack. @throws Failure when there are none */
export async function readClusterLogs(
  place: Place,
  stack: string,
  options: LogOptions,
  signal: AbortSignal,
): Promise<readonly LogReader[]> {
  const { cluster } = await connectTo(place, stack, signal);
  const pods = await podsOf(cluster, place, signal);
  if (pods.length === 0)
    throw new Failure(`No pods of the stack run in the namespace ${place.namespace}`, {
      remedy: "run `npm run up` for it.",
    });
  return selectReaders(
    pods.map(({ name, service, container }) => ({ service, container: name, label: name, within: container })),
    options.services,
  ).map(({ within, ...source }) => ({
    ...source,
    read: (onLine) =>
      readPodLog(cluster.api, place, { name: source.container, container: within }, options, onLine, signal),
  }));
}

/**
 * Reads until the end of the log. `kubectl logs` holds its exit codes, back-pressure and interrupts, but takes 52 MB for each pod, and no other
 * command needs kubectl: `kubectl exec` cannot replace execute.ts. @throws Failure when the connection breaks
 */
export async function readPodLog(
  api: ApiClient,
  { namespace }: Pick<Place, "namespace">,
  { name, container }: Pick<Pod, "name" | "container">,
  { follow, tail, since }: Pick<LogOptions, "follow" | "tail" | "since">,
  onLine: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const query = new URLSearchParams({ container, timestamps: "true", follow: String(follow) });
  if (tail !== undefined) query.set("tailLines", String(tail));
  if (since !== undefined) query.set("sinceTime", since.toISOString());
  const lines = lineSplitter(onLine);
  const log = await api.stream(`/api/v1/namespaces/${namespace}/pods/${name}/log?${query.toString()}`, signal);
  try {
    for await (const chunk of log.setEncoding("utf8")) lines.add(chunk as string);
  } catch (error) {
    if (signal.aborted) return;
    throw new Failure(`The log of the pod ${name} broke off: ${messageOf(error)}`, {
      remedy: "check that the API server answers (kubectl get pods), then run the command again.",
      cause: error,
    });
  }
  lines.end();
}
