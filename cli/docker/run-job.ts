import { dockerClient, orUndefined } from "@routeql/host/docker/client";
import { lastLogLines } from "@routeql/host/docker/output";
import type { Job, JobFailure } from "../place/stack-place.ts";

/** Starts the container of a job again and waits for its end. Only Hasura has the job that applies the metadata. */
export async function runJobAgain(stack: string, job: Job): Promise<JobFailure | undefined> {
  const container = dockerClient().getContainer(`routeql-${stack}-${job}`);
  if (job === "apply-metadata" && (await orUndefined(container.inspect())) === undefined) return undefined;
  await container.start();
  const { StatusCode: code } = (await container.wait()) as { StatusCode: number };
  return code === 0 ? undefined : { what: `ended with ${code}`, lastLines: await lastLogLines(container, 20) };
}
