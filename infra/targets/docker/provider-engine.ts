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
