import type { Execute } from "@routeql/host/program-streams";
import { printedIn } from "./health-detail.ts";
import type { StatusReport } from "./report.ts";

/** Files of control groups of version 2 and of version 1. */
const program = ["bash", "-c", "cat /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control 2>/dev/null"];

/** Processes that the kernel killed at the container's memory limit since its start. @param text content of the files of {@link program} */
export const killsIn = (text: string): number => Number(/^oom_kill (\d+)$/m.exec(text)?.[1] ?? 0);

/**
 * Services whose container runs, although a process of it was killed. Postgres then ends all connections and recovers within seconds, after
 * which only its log shows it. @param enter as in StackPlace
 */
export async function memoryKills(
  services: readonly string[],
  enter: (service: string) => Promise<Execute>,
  signal: AbortSignal,
): Promise<NonNullable<StatusReport["memoryKills"]>> {
  const counts = await Promise.all(
    [...new Set(services)].map(async (service) => ({
      service,
      count: killsIn(await printedIn(service, program, enter, signal)),
    })),
  );
  return counts.filter(({ count }) => count > 0);
}
