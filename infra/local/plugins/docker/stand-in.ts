import { createRequire } from "node:module";
import { makeProvider } from "../provider/provider.ts";
import { container } from "./container/container.ts";
import { image } from "./image.ts";
import { network } from "./network.ts";
import { remoteImage } from "./remote-image.ts";
import { volume } from "./volume.ts";

const { version } = createRequire(import.meta.url)("@pulumi/docker/package.json") as { version: string };

export const provider = makeProvider("docker", version, {
  "docker:index/network:Network": network,
  "docker:index/volume:Volume": volume,
  "docker:index/image:Image": image,
  "docker:index/remoteImage:RemoteImage": remoteImage,
  "docker:index/container:Container": container,
});
