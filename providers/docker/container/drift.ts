import type Docker from "dockerode";
import { canonical } from "../../shared/values.ts";
import { containerBody, endpoints } from "./body.ts";
import type { ContainerInputs } from "./inputs.ts";

type Inspection = Docker.ContainerInspectInfo;

/**
 * The engine adds to lists of settings (an image's variables, default labels): what was asked for must be among what is there.
 */
function contains(is: unknown, should: unknown): boolean {
  if (Array.isArray(should))
    return Array.isArray(is) && should.every((entry) => is.some((other) => canonical(other) === canonical(entry)));
  if (typeof should === "object" && should !== null) {
    if (typeof is !== "object" || is === null) return Object.keys(should).length === 0;
    return Object.entries(should).every(([key, value]) => contains((is as Record<string, unknown>)[key], value));
  }
  return canonical(is ?? null) === canonical(should ?? null);
}

/** Settings that differ from those the container was made with, as names of the engine's inspection. */
export function settingsDrift(inputs: ContainerInputs, info: Inspection): string[] {
  const { HostConfig, NetworkingConfig: _networking, ...config } = containerBody(inputs);
  // Where the kernel does not account for swap, the engine reports another limit than it was given.
  const { MemorySwap: _swap, ...host } = HostConfig ?? {};
  const differing = (path: string, should: object, is: object): string[] =>
    Object.entries(should)
      .filter(([key, value]) => !contains((is as Record<string, unknown>)[key], value))
      .map(([key]) => `${path}.${key}`);
  const missing = endpoints(inputs)
    .filter(({ name }) => info.NetworkSettings.Networks[name] === undefined)
    .map(({ name }) => `NetworkSettings.Networks.${name}`);
  return [...differing("Config", config, info.Config), ...differing("HostConfig", host, info.HostConfig), ...missing];
}

/** How a container that ought to run does not, in words; empty when all is well or when it need not run. */
export function runningDrift(inputs: ContainerInputs, info: Inspection): string[] {
  if (inputs.start === false || inputs.mustRun === false) return [];
  const { Running: running, Paused: paused, Status: status, Health: health } = info.State;
  if (!running) return [`the container is ${status}`];
  if (paused) return ["the container is paused"];
  if (inputs.wait && health?.Status === "unhealthy") return ["the container is unhealthy"];
  return [];
}
