import { hostname } from "node:os";

export interface EngineInfo {
  readonly Name: string;
  readonly OperatingSystem: string;
  readonly SecurityOptions?: readonly string[];
}

/**
 * Whether the bridges of an engine are interfaces of this machine. A rootless engine has a network of its own, and so does an engine in a
 * virtual machine or on another host.
 * @param hasSocket whether a socket of this machine reaches the engine
 */
export function hasBridgesHere(
  { Name, OperatingSystem, SecurityOptions = [] }: EngineInfo,
  hasSocket: boolean,
  platform: NodeJS.Platform = process.platform,
): boolean {
  const rootless = SecurityOptions.some((option) => option.split(",").includes("name=rootless"));
  return platform === "linux" && hasSocket && !rootless && OperatingSystem !== "Docker Desktop" && Name === hostname();
}
