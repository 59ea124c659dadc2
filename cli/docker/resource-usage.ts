import { dockerClient } from "@routeql/host/docker/client";

export interface ResourceUsage {
  readonly container: string;
  /** Share of one processor during the last second. */
  readonly cpuPercent: number;
  readonly memoryMegabytes: number;
  readonly memoryLimitMegabytes: number;
  readonly processes: number;
}

interface Stats {
  readonly cpu_stats: {
    readonly cpu_usage: { readonly total_usage: number };
    readonly system_cpu_usage?: number;
    readonly online_cpus?: number;
  };
  readonly precpu_stats: Stats["cpu_stats"];
  readonly memory_stats: { readonly usage?: number; readonly limit?: number };
  readonly pids_stats: { readonly current?: number };
}

const megabytes = (bytes = 0): number => Math.round(bytes / 100_000) / 10;

export async function resourceUsage(stack: string): Promise<ResourceUsage[]> {
  const docker = dockerClient();
  const containers = await docker.listContainers({ filters: { label: [`com.routeql.stack=${stack}`] } });
  return Promise.all(
    containers.map(async ({ Id, Names }) => {
      const {
        cpu_stats: now,
        precpu_stats: before,
        memory_stats: memory,
        pids_stats: processes,
      } = (await docker.getContainer(Id).stats({ stream: false })) as Stats;
      const used = now.cpu_usage.total_usage - before.cpu_usage.total_usage;
      const passed = (now.system_cpu_usage ?? 0) - (before.system_cpu_usage ?? 0);
      return {
        container: Names[0]?.slice(1) ?? Id,
        cpuPercent: passed > 0 ? Math.round((used / passed) * (now.online_cpus ?? 1) * 1000) / 10 : 0,
        memoryMegabytes: megabytes(memory.usage),
        memoryLimitMegabytes: megabytes(memory.limit),
        processes: processes.current ?? 0,
      };
    }),
  );
}
