import { providerVersion } from "../choice.ts";
import { makeProvider } from "../shared/provider.ts";
import { container } from "./container/container.ts";
import { image } from "./image.ts";
import { network } from "./network.ts";
import { remoteImage } from "./remote-image.ts";
import { volume } from "./volume.ts";

export const provider = makeProvider("docker", providerVersion("docker"), {
  "docker:index/network:Network": network,
  "docker:index/volume:Volume": volume,
  "docker:index/image:Image": image,
  "docker:index/remoteImage:RemoteImage": remoteImage,
  "docker:index/container:Container": container,
});
