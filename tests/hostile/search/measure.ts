import { containerOf } from "../../e2e/support/docker.ts";
import { mustRun } from "../../harness/process.ts";

export interface Usage {
  /** Processor time in milliseconds since the start of the container. */
  readonly processor: number;
  /** MiB, without the page cache. */
  readonly memory: number;
}

/** Resource usage of a service's container. The two versions of control groups use different names. */
export async function usageOf(service: string): Promise<Usage> {
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

/** Number of restarts and start time of a service's container. */
export async function startsOf(service: string): Promise<string> {
  return mustRun("docker", ["inspect", "--format", "{{.RestartCount}} {{.State.StartedAt}}", containerOf(service)]);
}
