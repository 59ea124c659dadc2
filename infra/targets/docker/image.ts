import { Image, RemoteImage } from "@pulumi/docker";
import { type CustomResourceOptions, type Input, output, type Output, type Resource } from "@pulumi/pulumi";
import type { ResourceNames } from "../../resource-names.ts";
import type { BuiltImage, PulledImage } from "../../images.ts";
import type { ImageName } from "../../description/service.ts";
import { enginePlatform } from "./provider-engine.ts";
import type { Scope } from "./scope.ts";

/** Builds an image on the Docker host, once per name, which contains the hash of its content. @param reference to push, if any */
export function buildImage(
  { name, imageName, context, dockerfile, args }: BuiltImage<Input<string>>,
  named: ResourceNames,
  options: CustomResourceOptions,
  reference?: Input<string>,
): Image {
  const isKnown = typeof imageName === "string";
  return new Image(
    named(isKnown ? `${name}-${imageName.split(":")[1]}` : name),
    {
      imageName: reference ?? imageName,
      skipPush: reference === undefined,
      build: { context, dockerfile, args: { ...args }, platform: output(enginePlatform()) as Output<string> },
    },
    { ...options, ...(isKnown ? { ignoreChanges: ["build"] } : {}) },
  );
}

/** Pulls an image unless the Docker host has it. The host keeps unused images. */
function pullImage(
  { name, imageName }: PulledImage<Input<string>>,
  named: ResourceNames,
  parent: Resource,
): RemoteImage {
  return new RemoteImage(named(`${name}-image`), { name: imageName, keepLocally: true }, { parent });
}

export interface DockerImages {
  /** In build order: each image after its base. */
  readonly built: readonly BuiltImage<Input<string>>[];
  readonly pulled: readonly PulledImage<Input<string>>[];
}

/** Provides every image on the Docker host; returns the names for containers. */
export function provideImages(
  { built, pulled }: DockerImages,
  { named }: Pick<Scope, "named">,
  parent: Resource,
): ReadonlyMap<ImageName, Output<string>> {
  const byReference = new Map<Input<string>, Resource>();
  const names = new Map<ImageName, Output<string>>();
  for (const image of pulled) {
    const resource = pullImage(image, named, parent);
    byReference.set(image.imageName, resource);
    names.set(image.name, resource.name);
  }
  for (const image of built) {
    const dependsOn = Object.values(image.args).flatMap((reference) => byReference.get(reference) ?? []);
    const resource = buildImage(image, named, { parent, dependsOn });
    byReference.set(image.imageName, resource);
    names.set(image.name, resource.imageName);
  }
  return names;
}
