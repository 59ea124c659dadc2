import { Readable } from "node:stream";
import { connectCluster } from "./connect.ts";
import { executeInPod, passedOn } from "./execute.ts";
import type { Place } from "./place.ts";
import { readyPod } from "./pods.ts";

/** Runs a program of the auth sidecar in one of its pods; what it prints is passed through. */
export async function executeInSidecar(place: Place, stack: string, program: readonly string[], input?: string): Promise<number> {
  const { config, cluster } = await connectCluster();
  const pod = await readyPod(cluster, place, "auth-sidecar", stack);
  return executeInPod(config, place, pod, program, {
    input: input === undefined ? undefined : Readable.from([input]),
    output: passedOn(process.stdout),
    errors: passedOn(process.stderr),
  });
}
