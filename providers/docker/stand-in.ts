import { dockerClient, orUndefined } from "@routeql/host/docker/client";
import { pullImage } from "@routeql/host/docker/pull";
import { z } from "zod";
import { providerVersion } from "../choice.ts";
import { container } from "./container/container.ts";
import { image } from "./image.ts";
import { network } from "./network.ts";
import { volume } from "./volume.ts";
import { makeProvider } from "../shared/provider.ts";
import type { ResourceKind } from "../shared/resource-kind.ts";

const inputs = z.strictObject({
  name: z.string().min(1),
  keepLocally: z.literal(true, { error: "must be true, because the stand-in docker provider does not remove images" }),
});
type RemoteImageInputs = z.infer<typeof inputs>;

async function idOf(name: string): Promise<string | undefined> {
  return (await orUndefined(dockerClient().getImage(name).inspect()))?.Id;
}

/** RemoteImage of the docker provider: pulls an image unless the host has it. */
const remoteImage: ResourceKind<RemoteImageInputs> = {
  inputs,

  async create({ name }, { signal }) {
    if ((await idOf(name)) === undefined)
      await pullImage(name, { onLine: () => undefined, show: () => undefined, signal });
    const imageId = await idOf(name);
    return { id: `${imageId}${name}`, outputs: { imageId, repoDigest: "" } };
  },

  read: async (_id, { name }) => ((await idOf(name)) === undefined ? undefined : {}),
};

export const provider = makeProvider("docker", providerVersion("docker"), {
  "docker:index/network:Network": network,
  "docker:index/volume:Volume": volume,
  "docker:index/image:Image": image,
  "docker:index/remoteImage:RemoteImage": remoteImage,
  "docker:index/container:Container": container,
});
