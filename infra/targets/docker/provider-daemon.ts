import { runtime } from "@pulumi/pulumi";
import { clientOf, dockerClient } from "@routeql/host/docker/client";
import { daemonAddress } from "@routeql/host/docker/daemon-address";
import { Failure } from "@routeql/host/failure";

export type DockerClient = ReturnType<typeof dockerClient>;

/** The daemon of the official provider, which ignores Docker contexts. Undefined for a daemon that only the provider reaches, by ssh. */
export function daemonOfProvider(): DockerClient | undefined {
  const host = runtime.getConfig("docker:host");
  try {
    return clientOf(
      daemonAddress({
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

/** Whether a daemon with this API accepts `StartInterval` in health checks. */
export function acceptsStartInterval(apiVersion: string): boolean {
  const [major = 0, minor = 0] = apiVersion.split(".").map(Number);
  return major > startIntervalSince[0] || (major === startIntervalSince[0] && minor >= startIntervalSince[1]);
}

/** False for a daemon that does not answer here. */
export async function hasStartInterval(docker = daemonOfProvider()): Promise<boolean> {
  if (docker === undefined) return false;
  const version = await docker.version().catch(() => undefined);
  return version !== undefined && acceptsStartInterval(version.ApiVersion);
}

/** Platform of the daemon, as `linux/amd64`: without one the provider chooses the same, with a warning. Undefined if it cannot be asked. */
export async function daemonPlatform(docker = daemonOfProvider()): Promise<string | undefined> {
  try {
    const version = await docker?.version();
    return version && `${version.Os}/${version.Arch}`;
  } catch {
    return undefined;
  }
}
