import { Image, RemoteImage } from "@pulumi/docker";
import type { Output, Resource } from "@pulumi/pulumi";
import type { ResourceNames } from "../../components/resource-names.ts";
import type { BuiltImage, PulledImage } from "../../images.ts";
import type { ImageName } from "../../services/description.ts";
import type { Scope } from "./scope.ts";

/**
 * Builds an image on the Docker host. The resource is named by the image's hash too: other content is another image, and an image
 * that was built once is never built again, whatever else the provider finds changed (it looks at the whole context, and forgets
 * the build on a refresh).
 */
function buildImage(image: BuiltImage, named: ResourceNames, parent: Resource, startsFrom: readonly Resource[]): Image {
  const [, hash = ""] = image.imageName.split(":");
  return new Image(
    named(`${image.name}-${hash}`),
    {
      imageName: image.imageName,
      skipPush: true,
      build: { context: image.context, dockerfile: image.dockerfile, args: { ...image.args } },
    },
    { parent, ignoreChanges: ["build"], dependsOn: [...startsFrom] },
  );
}

/** Takes an image that the Docker host has or its registry serves; the host keeps it when nothing needs it any more. */
function pullImage({ name, imageName }: PulledImage, named: ResourceNames, parent: Resource): RemoteImage {
  return new RemoteImage(named(`${name}-image`), { name: imageName, keepLocally: true }, { parent });
}

export interface DockerImages {
  /** Each after those it starts from. */
  readonly built: readonly BuiltImage[];
  readonly pulled: readonly PulledImage[];
}

/** Makes every image available on the Docker host; gives the names under which containers find them. */
export function provideImages({ built, pulled }: DockerImages, { named }: Pick<Scope, "named">, parent: Resource): ReadonlyMap<ImageName, Output<string>> {
  const byReference = new Map<string, Resource>();
  const names = new Map<ImageName, Output<string>>();
  for (const image of pulled) {
    const resource = pullImage(image, named, parent);
    byReference.set(image.imageName, resource);
    names.set(image.name, resource.name);
  }
  for (const image of built) {
    const startsFrom = Object.values(image.args).flatMap((reference) => byReference.get(reference) ?? []);
    const resource = buildImage(image, named, parent, startsFrom);
    byReference.set(image.imageName, resource);
    names.set(image.name, resource.imageName);
  }
  return names;
}
