import { runtime } from "@pulumi/pulumi";
import { clientOf, dockerClient } from "@routeql/host/docker/client";
import { engineAddress } from "@routeql/host/docker/engine-address";
import { Failure } from "@routeql/host/failure";

export type DockerClient = ReturnType<typeof dockerClient>;

/** The engine of the official provider, which ignores Docker contexts. Undefined for an engine that only the provider reaches, by ssh. */
export function engineOfProvider(): DockerClient | undefined {
  const host = runtime.getConfig("docker:host");
  try {
    return clientOf(
      engineAddress({
        ...process.env,
        DOCKER_CONTEXT: "default",
        ...(host === undefined ? {} : { DOCKER_HOST: host }),
      }),
    );
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

/** Docker 25. */
const startIntervalSince = [1, 44] as const;

/** Whether an engine with this API accepts `StartInterval` in health checks. */
export function acceptsStartInterval(apiVersion: string): boolean {
  const [major = 0, minor = 0] = apiVersion.split(".").map(Number);
  return major > startIntervalSince[0] || (major === startIntervalSince[0] && minor >= startIntervalSince[1]);
}

/** False for an engine that does not answer here. */
export async function hasStartInterval(docker = engineOfProvider()): Promise<boolean> {
  if (docker === undefined) return false;
  const version = await docker.version().catch(() => undefined);
  return version !== undefined && acceptsStartInterval(version.ApiVersion);
}

/** Platform of the engine, as `linux/amd64`: without one the provider chooses the same, with a warning. Undefined if it cannot be asked. */
export async function enginePlatform(docker = engineOfProvider()): Promise<string | undefined> {
  try {
    const version = await docker?.version();
    return version && `${version.Os}/${version.Arch}`;
  } catch {
    return undefined;
  }
}
