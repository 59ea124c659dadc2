import { randomBytes } from "node:crypto";
import { Failure, messageOf } from "@routeql/host/failure";
import { deleteAndWait } from "@routeql/host/kubernetes/await";
import type { Cluster } from "@routeql/host/kubernetes/cluster";
import { field, type KubernetesObject, type Reference } from "@routeql/host/kubernetes/objects";
import { instanceLabels } from "@routeql/host/kubernetes/stack-objects";
import type { StackValues } from "../../pulumi/outputs.ts";
import type { Place } from "../place.ts";

const kind = { apiVersion: "batch/v1", kind: "Job" } as const;

/** Kubernetes deletes an ended job after this time if no process is left to delete it. */
const secondsKept = 600;

/** Fields of a pod specification that matter here. */
export type PodSpec = Readonly<Record<string, unknown>>;

/** Labels by which Kubernetes itself identifies a job's pods. */
const isGenerated = (label: string): boolean => /^(batch\.kubernetes\.io\/)?(job-name|controller-uid)$/.test(label);

interface Differences {
  readonly change?: (spec: PodSpec) => PodSpec;
  /** Deadline, where it differs from the original. */
  readonly deadlineSeconds?: number;
}

/** A new job with the pod specification of an existing one, and so with its network access to the database and its security settings. */
export function jobLike(
  job: KubernetesObject,
  name: string,
  place: Place,
  { change = (spec) => spec, deadlineSeconds }: Differences = {},
): KubernetesObject {
  const { backoffLimit, activeDeadlineSeconds, template } = job["spec"] as {
    readonly backoffLimit?: number;
    readonly activeDeadlineSeconds?: number;
    readonly template: {
      readonly metadata: {
        readonly labels?: Readonly<Record<string, string>>;
        readonly annotations?: Readonly<Record<string, string>>;
      };
      readonly spec: PodSpec;
    };
  };
  const { annotations } = template.metadata;
  const labels = Object.fromEntries(
    Object.entries(template.metadata.labels ?? {}).filter(([label]) => !isGenerated(label)),
  );
  return {
    ...kind,
    metadata: { name, namespace: place.namespace, labels: { ...instanceLabels(place) } },
    spec: {
      backoffLimit,
      activeDeadlineSeconds: deadlineSeconds ?? activeDeadlineSeconds,
      ttlSecondsAfterFinished: secondsKept,
      template: {
        metadata: { labels, ...(annotations === undefined ? {} : { annotations }) },
        spec: change(template.spec),
      },
    },
  };
}

export interface MadeJob extends AsyncDisposable {
  readonly object: KubernetesObject;
  readonly reference: Reference;
}

interface LikeMigrate extends Differences {
  /** Prefix of the job's name. */
  readonly purpose: string;
  readonly signal?: AbortSignal | undefined;
}

/** Creates a job like the stack's migrate job; `await using` deletes it with its pod. @throws Failure when the stack has no such job */
export async function startJobLikeMigrate(
  cluster: Cluster,
  place: Place,
  { services }: Pick<StackValues, "services">,
  { purpose, signal, ...differences }: LikeMigrate,
): Promise<MadeJob> {
  const { namespace } = place;
  const migrate = services.find(({ service }) => service === "migrate")?.container ?? "migrate";
  const job = await cluster.get({ ...kind, name: migrate, namespace }, signal);
  if (field(job, "spec", "template") === undefined)
    throw new Failure(`The namespace ${namespace} has no job ${migrate}`, {
      remedy: "run `npm run up` for this stack, which creates the job again.",
    });
  const name = `${purpose}-${randomBytes(4).toString("hex")}`;
  const reference = { ...kind, name, namespace };
  const object = await cluster.apply(jobLike(job!, name, place, differences), { signal });
  return {
    object,
    reference,
    async [Symbol.asyncDispose]() {
      // Also after an interruption: the job exists by then.
      await deleteAndWait(reference, cluster, new AbortController().signal).catch((error: unknown) =>
        console.error(messageOf(error)),
      );
    },
  };
}
