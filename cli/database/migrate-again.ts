import { dockerClient } from "@routeql/host/docker/client";
import { lastLogLines } from "@routeql/host/docker/logs";
import { Failure, messageOf } from "@routeql/host/failure";
import { connectTo } from "../kubernetes/connect.ts";
import { startJobLikeMigrate } from "../kubernetes/job-like-migrate.ts";
import { type Place, placeOf } from "../kubernetes/place.ts";
import { NotReady, untilReady } from "@routeql/providers/kubernetes/await/await";
import { requireOwn } from "../stack/ownership.ts";
import { valuesOf } from "../stack/values.ts";

const failed = (what: string, lastLines: readonly string[], cause?: unknown): Failure =>
  new Failure(`The data is restored, but the migrate job ${what}`, {
    lastLines,
    remedy: "fix the cause, then run the restore again with --replace.",
    cause,
  });

async function onDocker(stack: string): Promise<void> {
  await requireOwn(stack);
  const container = dockerClient().getContainer(`routeql-${stack}-migrate`);
  await container.start();
  const { StatusCode: code } = (await container.wait()) as { StatusCode: number };
  if (code !== 0) throw failed(`ended with ${code}`, await lastLogLines(container, 20));
}

async function inCluster(stack: string, place: Place, signal: AbortSignal): Promise<void> {
  try {
    const { cluster } = await connectTo(place, stack, signal);
    await using job = await startJobLikeMigrate(cluster, place, await valuesOf(stack), { purpose: "migrate-again", signal });
    await untilReady(job.object, job.reference, cluster, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof NotReady ? failed("has failed", error.reasons, error) : failed(`could not be started: ${messageOf(error)}`, [], error);
  }
}

/**
 * Runs the stack's migrate job again: missing migrations and the permissions of each role.
 * @throws Failure with its last lines when it fails
 */
export async function runMigrations(stack: string, signal: AbortSignal): Promise<void> {
  const place = await placeOf(stack);
  await (place ? inCluster(stack, place, signal) : onDocker(stack));
}
