import { Image } from "@pulumi/docker";
import type { Output, Resource } from "@pulumi/pulumi";
import type { BuiltImage } from "../../images.ts";

/** Builds an image on the Docker host; its name, which holds the hash of its content, is what the containers depend on. */
export function buildImage(image: BuiltImage, parent: Resource): Output<string> {
  const { imageName } = new Image(
    `${image.name}-image`,
    {
      imageName: image.imageName,
      skipPush: true,
      build: { context: image.context, dockerfile: image.dockerfile, args: { ...image.args } },
    },
    { parent },
  );
  return imageName;
}
