import { orUndefined } from "@routeql/host/docker/client";
import { type DockerClient, daemonOfProvider } from "./provider-daemon.ts";

/** Id of the image that the daemon has under a name, if any. A daemon that does not answer stops the provider, with its own error. */
export async function imageUnder(name: string, docker = daemonOfProvider()): Promise<string | undefined> {
  return (
    await docker
      ?.getImage(name)
      .inspect()
      .catch(() => undefined)
  )?.Id;
}

/**
 * Gives a name back to the image that had it. The official provider builds in each new state, and a second build of the same sources is another
 * image, with newer packages of the base: stacks on one host would run different images under one name.
 * @param before image under the name before the build
 */
export async function keepTag(
  name: string,
  before: string | undefined,
  docker: DockerClient | undefined = daemonOfProvider(),
): Promise<void> {
  if (docker === undefined || before === undefined || (await imageUnder(name, docker)) === before) return;
  const [repo = name, tag = "latest"] = name.split(":");
  // The image may have been deleted during the build.
  await orUndefined(docker.getImage(before).tag({ repo, tag }));
}
