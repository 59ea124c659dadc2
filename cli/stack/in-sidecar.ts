import type { ProgramStreams } from "@routeql/host/program-streams";
import { openPlace } from "../open-place.ts";

const program = ["node", "auth-sidecar/src/administration/main.ts"] as const;

/** Runs a command of the administration in the stack's auth sidecar and returns its exit code. @throws Failure when none runs */
export async function inSidecar(
  stack: string,
  words: readonly string[],
  streams: () => Promise<ProgramStreams>,
): Promise<number> {
  const place = await openPlace(stack);
  // A prompt comes after the sidecar is found.
  const execute = await place.enter("auth-sidecar");
  return execute([...program, ...words], await streams());
}
