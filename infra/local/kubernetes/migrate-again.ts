import { randomBytes } from "node:crypto";
import { Failure, messageOf } from "../foundation/failure.ts";
import { deleteAndWait, untilReady } from "../plugins/kubernetes/await/await.ts";
import type { Cluster } from "../plugins/kubernetes/api/cluster.ts";
import { field, type KubernetesObject } from "../plugins/kubernetes/api/objects.ts";
import type { StackValues } from "../stack/outputs.ts";
import { instanceLabels, type Place } from "./place.ts";

const kind = { apiVersion: "batch/v1", kind: "Job" } as const;

/** A job that has ended goes by itself, should nobody be left to remove it. */
const secondsKept = 600;

/** The labels that Kubernetes gives a job's pods to know them by. */
const isGenerated = (label: string): boolean => /^(batch\.kubernetes\.io\/)?(job-name|controller-uid)$/.test(label);

/** Another job with the pod of one that is done. */
export function again(job: KubernetesObject, name: string, place: Place): KubernetesObject {
  const spec = job["spec"] as Readonly<Record<string, unknown>>;
  const { metadata, ...template } = spec["template"] as { readonly metadata: { readonly labels?: Readonly<Record<string, string>> } };
  const labels = Object.fromEntries(Object.entries(metadata.labels ?? {}).filter(([label]) => !isGenerated(label)));
  return {
    ...kind,
    metadata: { name, namespace: place.namespace, labels: { ...instanceLabels(place) } },
    spec: {
      backoffLimit: spec["backoffLimit"],
      activeDeadlineSeconds: spec["activeDeadlineSeconds"],
      ttlSecondsAfterFinished: secondsKept,
      template: { ...template, metadata: { labels } },
    },
  };
}

/**
 * Runs the pod of a stack's migrate job once more.
 * @throws Failure when there is no such job; NotReady with the last lines of its log when it fails
 */
export async function migrateInCluster(cluster: Cluster, place: Place, { services }: Pick<StackValues, "services">, signal: AbortSignal): Promise<void> {
  const { namespace } = place;
  const name = services.find(({ service }) => service === "migrate")?.container ?? "migrate";
  const job = await cluster.get({ ...kind, name, namespace }, signal);
  if (field(job, "spec", "template") === undefined) throw new Failure(`The namespace ${namespace} has no job ${name}`);
  const another = again(job!, `migrate-again-${randomBytes(4).toString("hex")}`, place);
  const reference = { ...kind, name: another.metadata.name, namespace };
  try {
    await untilReady(await cluster.apply(another, { signal }), reference, cluster, signal);
  } finally {
    await deleteAndWait(reference, cluster, signal).catch((error: unknown) => console.error(messageOf(error)));
  }
}
