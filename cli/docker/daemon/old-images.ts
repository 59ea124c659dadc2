import { dockerClient } from "@routeql/host/docker/client";

const dayMilliseconds = 86_400_000;

interface ListedImage {
  readonly RepoTags?: readonly string[] | null;
  /** In seconds since 1970. */
  readonly Created: number;
}

/** Names among `images` that this project created more than a day ago and that no container uses. */
export function outdatedNames(images: readonly ListedImage[], inUse: ReadonlySet<string>, now: number): string[] {
  return images
    .filter(({ Created }) => now - Created * 1000 > dayMilliseconds)
    .flatMap(({ RepoTags }) => RepoTags ?? [])
    .filter((name) => /^routeql\/[a-z-]+:[0-9a-f]{12}$/.test(name) && !inUse.has(name));
}

/** Removes images of earlier contents. Images in use stay, and so do images that another checkout has built today. */
export async function removeOldImages(current: readonly string[]): Promise<void> {
  const docker = dockerClient();
  const containers = await docker.listContainers({ all: true });
  const inUse = new Set([...current, ...containers.map(({ Image }) => Image)]);
  for (const name of outdatedNames(await docker.listImages(), inUse, Date.now())) {
    // Another run may have started to use the image just now.
    await docker
      .getImage(name)
      .remove()
      .catch(() => undefined);
  }
}
