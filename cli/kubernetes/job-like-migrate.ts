import { randomBytes } from "node:crypto";
import { Failure, messageOf } from "@routeql/host/failure";
import { deleteAndWait } from "@routeql/providers/kubernetes/await/await";
import type { Cluster } from "@routeql/host/kubernetes/cluster";
import { field, type KubernetesObject, type Reference } from "@routeql/host/kubernetes/objects";
import type { StackValues } from "../stack/outputs.ts";
import { instanceLabels, type Place } from "./place.ts";

const kind = { apiVersion: "batch/v1", kind: "Job" } as const;

/** A job that has ended goes by itself, should nobody be left to remove it. */
const secondsKept = 600;

/** What a pod is made from, as far as it matters here. */
export type PodSpec = Readonly<Record<string, unknown>>;

/** The labels that Kubernetes gives a job's pods to know them by. */
const isGenerated = (label: string): boolean => /^(batch\.kubernetes\.io\/)?(job-name|controller-uid)$/.test(label);

interface Differences {
  /** What is different about the pod. */
  readonly change?: (spec: PodSpec) => PodSpec;
  /** How long it may take, if that differs. */
  readonly deadlineSeconds?: number;
}

/** Another job with the pod of one that is done, so with its way to the database and its security. */
export function jobLike(job: KubernetesObject, name: string, place: Place, { change = (spec) => spec, deadlineSeconds }: Differences = {}): KubernetesObject {
  const { backoffLimit, activeDeadlineSeconds, template } = job["spec"] as {
    readonly backoffLimit?: number;
    readonly activeDeadlineSeconds?: number;
    readonly template: { readonly metadata: { readonly labels?: Readonly<Record<string, string>> }; readonly spec: PodSpec };
  };
  const labels = Object.fromEntries(Object.entries(template.metadata.labels ?? {}).filter(([label]) => !isGenerated(label)));
  return {
    ...kind,
    metadata: { name, namespace: place.namespace, labels: { ...instanceLabels(place) } },
    spec: {
      backoffLimit,
      activeDeadlineSeconds: deadlineSeconds ?? activeDeadlineSeconds,
      ttlSecondsAfterFinished: secondsKept,
      template: { metadata: { labels }, spec: change(template.spec) },
    },
  };
}

export interface MadeJob extends AsyncDisposable {
  readonly object: KubernetesObject;
  readonly reference: Reference;
}

interface LikeMigrate extends Differences {
  /** Begins its name. */
  readonly purpose: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Makes a job like the stack's migrate job. At the end of `await using` it has gone, with its pod.
 * @throws Failure when the stack has no such job
 */
export async function startJobLikeMigrate(
  cluster: Cluster,
  place: Place,
  { services }: Pick<StackValues, "services">,
  { purpose, signal, ...differences }: LikeMigrate,
): Promise<MadeJob> {
  const { namespace } = place;
  const migrate = services.find(({ service }) => service === "migrate")?.container ?? "migrate";
  const job = await cluster.get({ ...kind, name: migrate, namespace }, signal);
  if (field(job, "spec", "template") === undefined) throw new Failure(`The namespace ${namespace} has no job ${migrate}`);
  const name = `${purpose}-${randomBytes(4).toString("hex")}`;
  const reference = { ...kind, name, namespace };
  const object = await cluster.apply(jobLike(job!, name, place, differences), { signal });
  return {
    object,
    reference,
    async [Symbol.asyncDispose]() {
      // Also after an interruption: what was asked for is there.
      await deleteAndWait(reference, cluster, new AbortController().signal).catch((error: unknown) => console.error(messageOf(error)));
    },
  };
}
