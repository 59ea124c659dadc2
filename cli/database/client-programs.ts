import { openPlace } from "../open-place.ts";
import type { ClientPrograms } from "../place/programs.ts";

/** Opens access to Postgres' client programs, or beside the stack for an external database. @throws Failure without a running stack */
export async function openClientPrograms(stack: string, signal?: AbortSignal): Promise<ClientPrograms> {
  const place = await openPlace(stack);
  return { ...(await place.openPrograms(signal)), signal };
}
