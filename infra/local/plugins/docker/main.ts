import { createRequire } from "node:module";
import { serve } from "../provider/serve.ts";
import { container } from "./container/container.ts";
import { image } from "./image.ts";
import { network } from "./network.ts";
import { remoteImage } from "./remote-image.ts";
import { volume } from "./volume.ts";

const { version } = createRequire(import.meta.url)("@pulumi/docker/package.json") as { version: string };

await serve("docker", version, {
  "docker:index/network:Network": network,
  "docker:index/volume:Volume": volume,
  "docker:index/image:Image": image,
  "docker:index/remoteImage:RemoteImage": remoteImage,
  "docker:index/container:Container": container,
});
