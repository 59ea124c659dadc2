import { officialVersion } from "../shared/version.ts";
import { container } from "./container/container.ts";
import { image, remoteImage } from "./image.ts";
import { network } from "./network.ts";
import { volume } from "./volume.ts";
import { makeProvider } from "../shared/provider.ts";

export const provider = makeProvider("docker", officialVersion("docker"), {
  "docker:index/network:Network": network,
  "docker:index/volume:Volume": volume,
  "docker:index/image:Image": image,
  "docker:index/remoteImage:RemoteImage": remoteImage,
  "docker:index/container:Container": container,
});
