import type { ProgramStreams } from "@routeql/host/program-streams";
import { connectTo } from "./connect.ts";
import { executeInPod } from "./execute.ts";
import type { Place } from "./place.ts";
import { readyPod } from "./pods.ts";

/** Runs a program of the auth sidecar in one of its pods and returns its exit code. */
export async function executeInSidecar(place: Place, stack: string, program: readonly string[], streams: ProgramStreams): Promise<number> {
  const { config, cluster } = await connectTo(place, stack);
  const pod = await readyPod(cluster, place, "auth-sidecar", stack);
  return executeInPod(config, place, pod, program, streams);
}
