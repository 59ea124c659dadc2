import { Image, RemoteImage } from "@pulumi/docker";
import { all, type CustomResourceOptions, type Input, type Output, type Resource, runtime } from "@pulumi/pulumi";
import type { ResourceNames } from "../../resource-names.ts";
import type { BuiltImage, PulledImage } from "../../images.ts";
import type { ImageName } from "../../description/service.ts";
import { imageUnder, keepTag } from "./kept-tag.ts";
import { daemonPlatform } from "./provider-daemon.ts";
import type { Scope } from "./scope.ts";

/**
 * Builds an image on the Docker host, once per name, which contains the hash of its content.
 * @param reference to push, if any
 * @param first known before the build starts
 */
export function buildImage(
  { name, imageName, context, dockerfile, args }: BuiltImage<Input<string>>,
  named: ResourceNames,
  options: CustomResourceOptions,
  reference?: Input<string>,
  first?: Input<unknown>,
): Image {
  const isKnown = typeof imageName === "string";
  const platform = all([daemonPlatform(), first]).apply(([known]) => known) as Output<string>;
  return new Image(
    named(isKnown ? `${name}-${imageName.split(":")[1]}` : name),
    {
      imageName: reference ?? imageName,
      skipPush: reference === undefined,
      build: { context, dockerfile, args: { ...args }, platform },
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

/** The steps of kept-tag.ts before and after a build. */
export interface Tags {
  readonly imageUnder: (name: string) => Promise<string | undefined>;
  readonly keepTag: (name: string, before: string | undefined) => Promise<void>;
}

export interface DockerImages {
  /** In build order: each image after its base. */
  readonly built: readonly BuiltImage<Input<string>>[];
  readonly pulled: readonly PulledImage<Input<string>>[];
}

/** Provides every image on the Docker host; returns the names for containers. @param tags how a name is given back to its image */
export function provideImages(
  { built, pulled }: DockerImages,
  { named }: Pick<Scope, "named">,
  parent: Resource,
  tags: Tags = { imageUnder, keepTag },
): ReadonlyMap<ImageName, Output<string>> {
  const byReference = new Map<Input<string>, Resource>();
  const names = new Map<ImageName, Output<string>>();
  /** By reference, once the name is given back. */
  const keptNames = new Map<Input<string>, Output<string>>();
  for (const image of pulled) {
    const resource = pullImage(image, named, parent);
    byReference.set(image.imageName, resource);
    names.set(image.name, resource.name);
  }
  for (const image of built) {
    const dependsOn = Object.values(image.args).flatMap((reference) => byReference.get(reference) ?? []);
    // Else the image could be built from a base that loses its name.
    const bases = all(Object.values(image.args).flatMap((reference) => keptNames.get(reference) ?? []));
    const before = all([image.imageName, bases]).apply(([name]) => tags.imageUnder(name));
    const resource = buildImage(image, named, { parent, dependsOn }, undefined, before);
    byReference.set(image.imageName, resource);
    const kept = all([resource.imageName, before]).apply(async ([name, id]) => {
      if (!runtime.isDryRun()) await tags.keepTag(name, id);
      return name;
    });
    keptNames.set(image.imageName, kept);
    names.set(image.name, kept);
  }
  return names;
}
