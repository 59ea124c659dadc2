import { openProgramsInCluster } from "../kubernetes/client-programs.ts";
import { placeOf } from "../kubernetes/place.ts";
import { openProgramsOnDocker } from "./docker-programs.ts";
import type { ClientPrograms } from "./programs.ts";

/** Opens access to Postgres' client programs, or beside the stack for an external database. @throws Failure without a running stack */
export async function openClientPrograms(stack: string, signal?: AbortSignal): Promise<ClientPrograms> {
  const place = await placeOf(stack);
  const opened = await (place ? openProgramsInCluster(place, stack, signal) : openProgramsOnDocker(stack));
  return { ...opened, signal };
}
