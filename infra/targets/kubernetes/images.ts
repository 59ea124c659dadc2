import { output } from "@pulumi/pulumi";
import type { Input, Output, Resource } from "@pulumi/pulumi";
import type { BuiltImage, PulledImage } from "../../images.ts";
import type { ImageName } from "../../services/description.ts";
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
}

export const referenceIn = (registry: Input<string> | undefined, imageName: Input<string>): Input<string> =>
  derive({ registry, imageName }, (known) =>
    known.registry === undefined ? known.imageName : `${known.registry}/${known.imageName}`,
  );

/** References of all images, as the nodes know them. */
export function imageReferences(
  { built, pulled, registry, push }: ImageSources,
  { named }: Pick<Scope, "named">,
  parent: Resource,
): ReadonlyMap<ImageName, Output<string>> {
  const own = built.map((image) => {
    const reference = referenceIn(registry, image.imageName);
    return [image.name, push ? buildImage(image, named, { parent }, reference).imageName : output(reference)] as const;
  });
  return new Map([...own, ...pulled.map(({ name, imageName }) => [name, output(imageName)] as const)]);
}
