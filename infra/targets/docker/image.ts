import { Image } from "@pulumi/docker";
import type { Output, Resource } from "@pulumi/pulumi";
import type { BuiltImage } from "../../images.ts";

/**
 * Builds an image on the Docker host. The resource is named by the image's hash too: other content is another image, and an image
 * that was built once is never built again, whatever else the provider finds changed (it looks at the whole context, and forgets
 * the build on a refresh).
 */
export function buildImage(image: BuiltImage, parent: Resource): Output<string> {
  const [, hash = ""] = image.imageName.split(":");
  const { imageName } = new Image(
    `${image.name}-${hash}`,
    {
      imageName: image.imageName,
      skipPush: true,
      build: { context: image.context, dockerfile: image.dockerfile, args: { ...image.args } },
    },
    { parent, ignoreChanges: ["build"] },
  );
  return imageName;
}
