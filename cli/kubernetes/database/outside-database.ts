/** The route to an external database: a pod with the labels of the migrate job, which the network policies let out. */
import { setTimeout as sleep } from "node:timers/promises";
import { filesDirectory } from "@routeql/infra/description/service";
import { databaseAuthorityFile } from "@routeql/infra/services/database-place";
import { untilReady } from "@routeql/host/kubernetes/await";
import type { Cluster } from "@routeql/host/kubernetes/cluster";
import type { StackValues } from "../../pulumi/outputs.ts";
import { type PodSpec, startJobLikeMigrate } from "./job-like-migrate.ts";
import type { Place } from "../place.ts";
import { type Pod, podOf } from "../pods.ts";

export const authorityInPod = `${filesDirectory}/${databaseAuthorityFile}`;

export interface PodBeside extends AsyncDisposable {
  readonly pod: Pod;
}

interface Volume {
  readonly projected?: { readonly sources?: readonly { readonly secret?: object }[] };
}

/** A pod like the job's, without its passwords, for another program. */
function runs(container: object): (spec: PodSpec) => PodSpec {
  return (spec) => {
    const [{ args: _args, env: _env, ...same } = {}] = spec["containers"] as readonly Readonly<
      Record<string, unknown>
    >[];
    const volumes = ((spec["volumes"] ?? []) as readonly Volume[]).map(({ projected, ...volume }) =>
      projected
        ? {
            ...volume,
            projected: { ...projected, sources: projected.sources?.filter(({ secret }) => secret === undefined) ?? [] },
          }
        : volume,
    );
    return { ...spec, containers: [{ ...same, ...container }], volumes, terminationGracePeriodSeconds: 0 };
  };
}

/** One day: the maximum for a backup or a load. Such a pod also lives this long if no process is left to end it. */
const deadlineSeconds = 86_400;

/** Starts a pod with Postgres' client programs, which lives until the end of `await using`. */
export async function clientsBeside(
  cluster: Cluster,
  place: Place,
  values: StackValues,
  signal?: AbortSignal,
): Promise<PodBeside> {
  const job = await startJobLikeMigrate(cluster, place, values, {
    purpose: "clients",
    change: runs({ image: values.database.clientImage, command: ["sleep", "infinity"] }),
    deadlineSeconds,
    signal,
  });
  const ends = signal ?? new AbortController().signal;
  try {
    const labels = { "batch.kubernetes.io/job-name": job.reference.name };
    for (;;) {
      const [made] = await cluster.list({ apiVersion: "v1", kind: "Pod", namespace: place.namespace }, labels, ends);
      const reference = { apiVersion: "v1", kind: "Pod", name: made?.metadata.name ?? "", namespace: place.namespace };
      // Items of a list lack their kind.
      const pod = made && (await cluster.get(reference, ends));
      if (pod)
        return {
          pod: podOf(await untilReady(pod, reference, cluster, ends)),
          [Symbol.asyncDispose]: () => job[Symbol.asyncDispose](),
        };
      await sleep(200, undefined, { signal: ends });
    }
  } catch (error) {
    await job[Symbol.asyncDispose]();
    throw error;
  }
}
