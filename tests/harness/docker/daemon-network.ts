import { hostname } from "node:os";

export interface DaemonInfo {
  readonly Name: string;
  readonly OperatingSystem: string;
  readonly SecurityOptions?: readonly string[];
}

/**
 * Whether the bridges of a daemon are interfaces of this machine. A rootless daemon has a network of its own, and so does a daemon in a
 * virtual machine or on another host.
 * @param hasSocket whether a socket of this machine reaches the daemon
 */
export function hasBridgesHere(
  { Name, OperatingSystem, SecurityOptions = [] }: DaemonInfo,
  hasSocket: boolean,
  platform: NodeJS.Platform = process.platform,
): boolean {
  const rootless = SecurityOptions.some((option) => option.split(",").includes("name=rootless"));
  return platform === "linux" && hasSocket && !rootless && OperatingSystem !== "Docker Desktop" && Name === hostname();
}
