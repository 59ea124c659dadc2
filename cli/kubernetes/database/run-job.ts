import { messageOf } from "@routeql/host/failure";
import { NotReady, untilReady } from "@routeql/host/kubernetes/await";
import type { JobFailure } from "../../place/stack-place.ts";
import { valuesOf } from "../../pulumi/outputs.ts";
import { connectTo } from "../connection/connect.ts";
import { startJobLikeMigrate } from "./job-like-migrate.ts";
import type { Place } from "../place.ts";

/** Runs the migrate job again. The metadata is applied by the start of the engine's pods. */
export async function migrateAgain(place: Place, stack: string, signal: AbortSignal): Promise<JobFailure | undefined> {
  try {
    const { cluster } = await connectTo(place, stack, signal);
    await using job = await startJobLikeMigrate(cluster, place, await valuesOf(stack), {
      purpose: "migrate-again",
      signal,
    });
    await untilReady(job.object, job.reference, cluster, signal);
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    return error instanceof NotReady
      ? { what: "has failed", lastLines: error.reasons, cause: error }
      : { what: `could not be started: ${messageOf(error)}`, lastLines: [], cause: error };
  }
}
