import { placeOf } from "../kubernetes/place.ts";
import { openProgramsOnDocker } from "./docker-programs.ts";
import type { ClientPrograms } from "./programs.ts";

/** Opens access to Postgres' client programs, or beside the stack for an external database. @throws Failure without a running stack */
export async function openClientPrograms(stack: string, signal?: AbortSignal): Promise<ClientPrograms> {
  const place = await placeOf(stack);
  // This loads Pulumi's SDK, which a stack on Docker does not need here.
  const opened = place
    ? await (await import("../kubernetes/client-programs.ts")).openProgramsInCluster(place, stack, signal)
    : await openProgramsOnDocker(stack);
  return { ...opened, signal };
}
