import { output } from "@pulumi/pulumi";
import type { Input, Output, Resource } from "@pulumi/pulumi";
import type { BuiltImage, PulledImage } from "../../images.ts";
import type { ImageName } from "../../description/service.ts";
import { buildImage } from "../docker/image.ts";
import { derive } from "../../inputs.ts";
import type { Scope } from "./scope.ts";

export interface ImageSources {
  readonly built: readonly BuiltImage<Input<string>>[];
  readonly pulled: readonly PulledImage<Input<string>>[];
  /** Registry of this project's images; without one the nodes must have them. */
  readonly registry?: Input<string> | undefined;
  /** Whether the program builds and pushes them. */
  readonly push: boolean;
  /** Digests (`sha256:…`) by reference, which pin the images of manifests. */
  readonly digests?: ReadonlyMap<string, string> | undefined;
}

/** The reference with its digest, where one is known. */
export function withDigest(reference: string, digests: ImageSources["digests"]): string {
  const digest = digests?.get(reference);
  return digest === undefined ? reference : `${reference}@${digest}`;
}

export const referenceIn = (registry: Input<string> | undefined, imageName: Input<string>): Input<string> =>
  derive({ registry, imageName }, (known) =>
    known.registry === undefined ? known.imageName : `${known.registry}/${known.imageName}`,
  );

/** References of all images, as the nodes know them. */
export function imageReferences(
  { built, pulled, registry, push, digests }: ImageSources,
  { named }: Pick<Scope, "named">,
  parent: Resource,
): ReadonlyMap<ImageName, Output<string>> {
  const pinned = (reference: Input<string>) => output(reference).apply((known) => withDigest(known, digests));
  const own = built.map((image) => {
    const reference = referenceIn(registry, image.imageName);
    return [image.name, push ? buildImage(image, named, { parent }, reference).imageName : pinned(reference)] as const;
  });
  return new Map([...own, ...pulled.map(({ name, imageName }) => [name, pinned(imageName)] as const)]);
}
