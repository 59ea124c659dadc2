import { setTimeout as sleep } from "node:timers/promises";
import { containerOf } from "../../e2e/support/docker.ts";
import { mustRun } from "../../harness/process.ts";

export interface Usage {
  /** Processor time in milliseconds since the start of the container. */
  readonly processor: number;
  /** MiB, without the page cache. */
  readonly memory: number;
}

/** Resource usage of a service's container. The two versions of control groups use different names. */
async function usageOf(service: string): Promise<Usage> {
  const script = `cat /sys/fs/cgroup/cpu.stat 2>/dev/null || echo usage_nanoseconds $(cat /sys/fs/cgroup/cpuacct/cpuacct.usage)
    cat /sys/fs/cgroup/memory.stat 2>/dev/null || cat /sys/fs/cgroup/memory/memory.stat`;
  const text = await mustRun("docker", ["exec", containerOf(service), "sh", "-c", script]);
  const value = (name: string): number | undefined => {
    const found = new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1];
    return found === undefined ? undefined : Number(found);
  };
  const nanoseconds = value("usage_nanoseconds") ?? (value("usage_usec") ?? NaN) * 1_000;
  return { processor: nanoseconds / 1e6, memory: (value("total_rss") ?? value("anon") ?? NaN) / 1_048_576 };
}

/** Fraction of a processor that a service may use while it is idle: the bystander's requests and this measurement. */
const idleShare = 0.2;
/** Longest time until the work of one carrier must have ended, in milliseconds. */
const longestWork = 180_000;

/**
 * Resource usage of services as soon as all of them are idle, so that the work of a request counts for that request: replies that no client
 * reads and cancelled statements cost time after the client has left.
 * @throws Error if a service stays busy
 */
export async function idleUsageOf<Service extends string>(
  services: readonly Service[],
): Promise<Readonly<Record<Service, Usage>>> {
  const begin = performance.now();
  let [before, at] = [await usagesOf(services), performance.now()];
  for (;;) {
    await sleep(500);
    const [now, time] = [await usagesOf(services), performance.now()];
    const used = services.map((service) => (now[service].processor - before[service].processor) / (time - at));
    if (used.every((share) => share < idleShare)) return now;
    if (time - begin > longestWork)
      throw new Error(
        `${services.join(", ")} still use ${used.map((share) => share.toFixed(2)).join(", ")} processors after ${longestWork} ms`,
      );
    [before, at] = [now, time];
  }
}

export async function usagesOf<Service extends string>(
  services: readonly Service[],
): Promise<Readonly<Record<Service, Usage>>> {
  const usages = await Promise.all(services.map(async (service) => [service, await usageOf(service)] as const));
  return Object.fromEntries(usages) as Record<Service, Usage>;
}

/** Number of restarts and start time of a service's container. */
export async function startsOf(service: string): Promise<string> {
  return mustRun("docker", ["inspect", "--format", "{{.RestartCount}} {{.State.StartedAt}}", containerOf(service)]);
}
