import { Image, RemoteImage } from "@pulumi/docker";
import type { Output, Resource } from "@pulumi/pulumi";
import type { ResourceNames } from "../../components/resource-names.ts";
import type { BuiltImage, PulledImage } from "../../images.ts";
import type { ImageName } from "../../services/description.ts";
import type { Scope } from "./scope.ts";

/**
 * Builds an image on the Docker host. The resource's name contains the image's hash, so changed content is a new image. An existing
 * image is never rebuilt, even if the provider detects a difference (it compares the whole context and forgets the build on a refresh).
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

/** Pulls an image unless the Docker host has it. The host keeps unused images. */
function pullImage({ name, imageName }: PulledImage, named: ResourceNames, parent: Resource): RemoteImage {
  return new RemoteImage(named(`${name}-image`), { name: imageName, keepLocally: true }, { parent });
}

export interface DockerImages {
  /** In build order: each image after its base. */
  readonly built: readonly BuiltImage[];
  readonly pulled: readonly PulledImage[];
}

/** Provides every image on the Docker host; returns the names for containers. */
export function provideImages(
  { built, pulled }: DockerImages,
  { named }: Pick<Scope, "named">,
  parent: Resource,
): ReadonlyMap<ImageName, Output<string>> {
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
