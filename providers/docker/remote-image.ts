import { z } from "zod";
import { pullImage } from "@routeql/host/docker/pull";
import { dockerClient, orUndefined } from "@routeql/host/docker/client";
import type { ResourceKind } from "../shared/resource-kind.ts";

const inputs = z.strictObject({
  name: z.string().min(1),
  keepLocally: z.literal(true, { error: "must be true: the stand-in docker provider removes no images" }),
});
type RemoteImageInputs = z.infer<typeof inputs>;

async function idOf(name: string): Promise<string | undefined> {
  return (await orUndefined(dockerClient().getImage(name).inspect()))?.Id;
}

/** RemoteImage of the docker provider: an image that is on the host is taken as it is, one that is not is pulled. */
export const remoteImage: ResourceKind<RemoteImageInputs> = {
  inputs,

  async create({ name }, { signal }) {
    if ((await idOf(name)) === undefined) await pullImage(name, { onLine: () => undefined, show: () => undefined, signal });
    const imageId = await idOf(name);
    return { id: `${imageId}${name}`, outputs: { imageId, repoDigest: "" } };
  },

  read: async (_id, { name }) => ((await idOf(name)) === undefined ? undefined : {}),
};
