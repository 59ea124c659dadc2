import { Image } from "@pulumi/docker";
import { output } from "@pulumi/pulumi";
import type { Input, Output, Resource } from "@pulumi/pulumi";
import type { BuiltImage, PulledImage } from "../../images.ts";
import type { ImageName } from "../../services/description.ts";
import { imageResource, keptOnceBuilt } from "../docker/image.ts";
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

/** Reference of an image of this project in a registry. */
export const referenceIn = (registry: Input<string> | undefined, imageName: Input<string>): Input<string> =>
  derive({ registry, imageName }, (known) =>
    known.registry === undefined ? known.imageName : `${known.registry}/${known.imageName}`,
  );

/** Builds an image with Docker and pushes it; an existing name is not built again. */
function pushed(
  image: BuiltImage<Input<string>>,
  reference: Input<string>,
  { named }: Pick<Scope, "named">,
  parent: Resource,
): Output<string> {
  const { imageName } = new Image(
    named(imageResource(image)),
    {
      imageName: reference,
      skipPush: false,
      build: { context: image.context, dockerfile: image.dockerfile, args: { ...image.args } },
    },
    { parent, ...keptOnceBuilt(image) },
  );
  return imageName;
}

/** References of all images, as the nodes know them. */
export function imageReferences(
  { built, pulled, registry, push }: ImageSources,
  scope: Pick<Scope, "named">,
  parent: Resource,
): ReadonlyMap<ImageName, Output<string>> {
  const own = built.map((image) => {
    const reference = referenceIn(registry, image.imageName);
    return [image.name, push ? pushed(image, reference, scope, parent) : output(reference)] as const;
  });
  return new Map([...own, ...pulled.map(({ name, imageName }) => [name, output(imageName)] as const)]);
}
