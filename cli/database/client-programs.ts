import { openProgramsInCluster } from "../kubernetes/client-programs.ts";
import { placeOf } from "../kubernetes/place.ts";
import { openProgramsOnDocker } from "./docker-programs.ts";
import type { ClientPrograms } from "./programs.ts";

/**
 * Opens the way: the database's own container or pod, or one beside the stack where the database is outside.
 * @throws Failure when the stack is not up
 */
export async function openClientPrograms(stack: string, signal?: AbortSignal): Promise<ClientPrograms> {
  const place = await placeOf(stack);
  const opened = await (place ? openProgramsInCluster(place, stack, signal) : openProgramsOnDocker(stack));
  return { ...opened, signal };
}
