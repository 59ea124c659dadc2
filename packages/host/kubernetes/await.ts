import { setTimeout as sleep } from "node:timers/promises";
import { isPassing } from "./client.ts";
import type { Cluster } from "./cluster.ts";
import { conditionOf, groupOf, type KubernetesObject, nameOf, numberAt, type Reference } from "./objects.ts";
import {
  claimReadiness,
  deploymentReadiness,
  jobReadiness,
  podReadiness,
  type Readiness,
  type ReadinessCheck,
  ready,
  serviceReadiness,
  statefulSetReadiness,
  troubleOf,
} from "./readiness.ts";

/** The annotation with the condition to wait for, in the form `condition=TYPE` of `kubectl wait --for`. */
const waitForAnnotation = "pulumi.com/waitFor";

/** @throws Error for an unsupported form */
export function waitedFor(expression: string, object: KubernetesObject): Readiness {
  const [, type] = /^condition=(\w+)$/.exec(expression) ?? [];
  if (type === undefined)
    throw new Error(
      `the stand-in kubernetes provider does not support ${waitForAnnotation}: ${expression}; use the official provider`,
    );
  const found = conditionOf(object, type);
  return found?.status === "True"
    ? ready
    : { waitsFor: `${type} is not True${found?.message ? `: ${found.message}` : ""}` };
}

const checks: Readonly<Record<string, ReadinessCheck>> = {
  "apps/Deployment": deploymentReadiness,
  "apps/StatefulSet": statefulSetReadiness,
  "batch/Job": jobReadiness,
  "/Pod": podReadiness,
  "/Service": serviceReadiness,
  "/PersistentVolumeClaim": claimReadiness,
};

/** Default wait of the official provider. */
const defaultSeconds = 600;
const pollMilliseconds = 500;

/** The object exists but did not become ready. */
export class NotReady extends Error {
  readonly object: KubernetesObject;
  readonly reasons: readonly string[];

  constructor(object: KubernetesObject, reasons: readonly string[]) {
    super(`${nameOf({ kind: object.kind, ...object.metadata })} did not become ready: ${reasons.join("\n")}`);
    this.name = "NotReady";
    this.object = object;
    this.reasons = reasons;
  }
}

const annotation = (object: KubernetesObject, name: string): string | undefined => object.metadata.annotations?.[name];

/** The time limit: a job's own deadline, otherwise the annotation, otherwise ten minutes. */
function secondsFor(object: KubernetesObject): number {
  const given = Number(annotation(object, "pulumi.com/timeoutSeconds"));
  if (given > 0) return given;
  const deadline = object.kind === "Job" ? numberAt(object, "spec", "activeDeadlineSeconds") : 0;
  return deadline > 0 ? deadline + 60 : defaultSeconds;
}

/** Repeats a read until the wait's deadline while the API server does not answer, such as during its restart. Writes are not repeated. */
async function answered<Result>(
  read: () => Promise<Result>,
  { cluster, deadline, signal }: { readonly cluster: Cluster; readonly deadline: number; readonly signal: AbortSignal },
): Promise<Result> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await read();
    } catch (error) {
      if (!isPassing(error) || Date.now() > deadline) throw error;
      const until = new Date(deadline).toISOString();
      if (attempt === 0) cluster.api.onWarning(`${(error as Error).message}; the request is repeated until ${until}`);
      await sleep(pollMilliseconds, undefined, { signal });
    }
  }
}

async function judge(object: KubernetesObject, cluster: Cluster, signal: AbortSignal): Promise<Readiness> {
  const expression = annotation(object, waitForAnnotation);
  if (expression !== undefined) return waitedFor(expression, object);
  return (await checks[`${groupOf(object.apiVersion)}/${object.kind}`]?.(object, cluster, signal)) ?? ready;
}

/** Waits until an object is ready by the rules of its kind. @throws NotReady if it fails or takes too long; the abort's reason */
export async function untilReady(
  applied: KubernetesObject,
  reference: Reference,
  cluster: Cluster,
  signal: AbortSignal,
): Promise<KubernetesObject> {
  if (annotation(applied, "pulumi.com/skipAwait") === "true") return applied;
  const seconds = secondsFor(applied);
  const deadline = Date.now() + seconds * 1000;
  const wait = { cluster, deadline, signal };
  for (let object = applied; ;) {
    const seen = object;
    const readiness = await answered(() => judge(seen, cluster, signal), wait);
    if ("ready" in readiness) return object;
    const reason =
      "failed" in readiness
        ? readiness.failed
        : Date.now() > deadline
          ? `${readiness.waitsFor}, after ${seconds} s`
          : undefined;
    if (reason !== undefined) {
      const trouble = await answered(() => troubleOf(seen, cluster, signal), wait);
      throw new NotReady(object, [reason, ...trouble]);
    }
    await sleep(pollMilliseconds, undefined, { signal });
    const next = await answered(() => cluster.get(reference, signal), wait);
    if (!next) throw new NotReady(object, ["it was deleted during the wait"]);
    object = next;
  }
}

/** Deletes an object and waits until it is gone with all objects that it owns. @throws Error with the cause if that takes too long */
export async function deleteAndWait(reference: Reference, cluster: Cluster, signal: AbortSignal): Promise<void> {
  const found = await cluster.get(reference, signal);
  if (!found) return;
  await cluster.delete(reference, annotation(found, "pulumi.com/deletionPropagationPolicy") ?? "Foreground", signal);
  if (annotation(found, "pulumi.com/skipAwait") === "true") return;
  const deadline = Date.now() + secondsFor(found) * 1000;
  for (;;) {
    const object = await answered(() => cluster.get(reference, signal), { cluster, deadline, signal });
    // A newer object with the same name is not the deleted one.
    if (!object || object.metadata.uid !== found.metadata.uid) return;
    if (Date.now() > deadline)
      throw new Error(`${nameOf(reference)} still exists after ${secondsFor(found)} s; ${heldBy(object)}`);
    await sleep(pollMilliseconds, undefined, { signal });
  }
}

function heldBy(object: KubernetesObject): string {
  const finalizers = (object.metadata["finalizers"] as string[] | undefined) ?? [];
  const conditions = (
    (object["status"] as { conditions?: { message?: string; status: string }[] } | undefined)?.conditions ?? []
  )
    .filter(({ status, message }) => status === "True" && message)
    .map(({ message }) => message);
  return [
    finalizers.length > 0 ? `finalizers: ${finalizers.join(", ")}` : "its controller has not removed it",
    ...conditions,
  ].join("; ");
}
