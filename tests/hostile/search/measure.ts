import { setTimeout as sleep } from "node:timers/promises";
import { dockerClient } from "@routeql/host/docker/client";
import { containerOf } from "../../e2e/support/stack/docker.ts";
import { mustRun } from "../../harness/process.ts";

export interface Usage {
  /** `performance.now()` */
  readonly at: number;
  /** Processor time in milliseconds since the start of the container. */
  readonly processor: number;
  /** MiB, without the page cache. */
  readonly memory: number;
}

/** A program in the container would need processor time there, so the numbers come from the Docker daemon. */
async function usageOf(service: string): Promise<Usage> {
  const { cpu_stats: processor, memory_stats: memory } = await dockerClient()
    .getContainer(containerOf(service))
    .stats({ stream: false, "one-shot": true });
  // The two versions of control groups use different names.
  const { total_rss: first, anon: second } = memory.stats as { total_rss?: number; anon?: number };
  return {
    at: performance.now(),
    processor: processor.cpu_usage.total_usage / 1e6,
    memory: (first ?? second ?? Number.NaN) / 1_048_576,
  };
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
  let before = await usagesOf(services);
  for (;;) {
    await sleep(500);
    const now = await usagesOf(services);
    const used = services.map((service) => shareBetween(before[service], now[service]));
    if (used.every((share) => share < idleShare)) return now;
    if (performance.now() - begin > longestWork)
      throw new Error(
        `${services.join(", ")} still use ${used.map((share) => share.toFixed(2)).join(", ")} processors after ${longestWork} ms`,
      );
    before = now;
  }
}

/** The value below which `share` (0 to 1) of the values lie, by nearest rank, rounded; NaN without values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return Math.round(sorted[Math.ceil(sorted.length * share) - 1] ?? Number.NaN);
}

/** Processors that a service used on average. */
export const shareBetween = (before: Usage, now: Usage): number =>
  (now.processor - before.processor) / (now.at - before.at);

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
