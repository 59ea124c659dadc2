/** Abilities of a Docker daemon that a stack requires, checked before anything is built. */
import { readFile } from "node:fs/promises";
import { dockerClient } from "@routeql/host/docker/client";

interface DaemonInfo {
  readonly SecurityOptions?: readonly string[];
  readonly MemoryLimit?: boolean;
  readonly PidsLimit?: boolean;
  readonly CpuCfsQuota?: boolean;
  readonly CgroupDriver?: string;
}

type Limit = "memory" | "processors" | "processes";

export interface Abilities {
  /** The daemon runs as a normal user: it cannot bind low ports or enforce some limits. */
  readonly rootless: boolean;
  readonly ignored: readonly Limit[];
}

export function abilitiesOf({
  SecurityOptions = [],
  MemoryLimit = true,
  CpuCfsQuota = true,
  PidsLimit = true,
  CgroupDriver,
}: DaemonInfo): Abilities {
  const rootless = SecurityOptions.some((option) => option.split(",").includes("name=rootless"));
  const enforced: Readonly<Record<Limit, boolean>> = {
    memory: MemoryLimit,
    processors: CpuCfsQuota,
    processes: PidsLimit,
  };
  const limits = Object.keys(enforced) as Limit[];
  return { rootless, ignored: limits.filter((limit) => CgroupDriver === "none" || !enforced[limit]) };
}

export const daemonAbilities = async (): Promise<Abilities> => abilitiesOf((await dockerClient().info()) as DaemonInfo);

/** The warning for ignored limits; none when the daemon enforces all of them. */
export function limitWarnings({ rootless, ignored }: Abilities): readonly string[] {
  if (ignored.length === 0) return [];
  const remedy = rootless
    ? "delegate the controllers to the user (docs.docker.com/engine/security/rootless/tips, Limiting resources)"
    : "enable these control groups of the kernel";
  return [
    `The Docker daemon ignores limits of ${ignored.join(", ")}: one container can use up the machine. To enforce them, ${remedy}.`,
  ];
}

/** The lowest port that an unprivileged user of this machine may bind (ip-sysctl). */
export async function lowestUserPort(file = "/proc/sys/net/ipv4/ip_unprivileged_port_start"): Promise<number> {
  const text = await readFile(file, "utf8").catch(() => "");
  return /^\d+$/.test(text.trim()) ? Number(text) : 1024;
}
