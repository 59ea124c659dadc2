import { z } from "zod";
import { ensureImage } from "@routeql/host/docker/build";
import { dockerClient, orUndefined } from "@routeql/host/docker/client";
import { pullImage, pushImage } from "@routeql/host/docker/pull";
import { Failure } from "@routeql/host/failure";
import type { ResourceKind } from "../shared/provider.ts";

const inputs = z.strictObject({
  imageName: z.string(),
  skipPush: z.boolean(),
  buildOnPreview: z.boolean().optional(),
  build: z.strictObject({
    context: z.string(),
    dockerfile: z.string(),
    args: z.record(z.string(), z.string()).optional(),
    network: z.string().optional(),
    // In a state of the official provider; the program keeps it (ignoreChanges).
    contextDigest: z.string().optional(),
    platform: z.string().optional(),
  }),
});
type ImageInputs = z.infer<typeof inputs>;

/** The official provider compares new inputs with those below `__inputs`. */
const recorded = (wanted: ImageInputs) => ({
  context: wanted.build.context,
  dockerfile: wanted.build.dockerfile,
  __inputs: wanted,
});

async function idOf(name: string): Promise<string | undefined> {
  return (await orUndefined(dockerClient().getImage(name).inspect()))?.Id;
}

/** Image of the docker provider. The name contains the content's hash, so an existing name is not rebuilt, and deletion keeps it. */
export const image: ResourceKind<ImageInputs> = {
  inputs,
  // The folder changes when the checkout moves; only the name identifies the content.
  updatable: ["skipPush", "buildOnPreview", "build"],

  async create(wanted, { signal }) {
    const { imageName, skipPush, build } = wanted;
    const lines: string[] = [];
    try {
      await ensureImage(
        { imageName, dockerfile: build.dockerfile, context: build.context, args: build.args ?? {} },
        { onLine: (line) => lines.push(line), signal },
      );
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      throw new Error([error.message, ...error.lastLines].join("\n"), { cause: error });
    }
    if (!skipPush) await pushImage(imageName, { onLine: () => undefined, show: () => undefined, signal });
    const id = await idOf(imageName);
    return {
      id: imageName,
      outputs: { baseImageName: imageName, registryServer: "docker.io", repoDigest: id, ...recorded(wanted) },
    };
  },

  read: async (id) => ((await idOf(id)) === undefined ? undefined : {}),
  update: async (_id, _olds, wanted) => recorded(wanted),
};

const remoteImageInputs = z.strictObject({
  name: z.string().min(1),
  keepLocally: z.literal(true, { error: "must be true, because the stand-in docker provider does not remove images" }),
});
type RemoteImageInputs = z.infer<typeof remoteImageInputs>;

/** RemoteImage of the docker provider: pulls an image unless the host has it. */
export const remoteImage: ResourceKind<RemoteImageInputs> = {
  inputs: remoteImageInputs,

  async create({ name }, { signal }) {
    if ((await idOf(name)) === undefined)
      await pullImage(name, { onLine: () => undefined, show: () => undefined, signal });
    const imageId = await idOf(name);
    return { id: `${imageId}${name}`, outputs: { imageId, repoDigest: "" } };
  },

  read: async (_id, { name }) => ((await idOf(name)) === undefined ? undefined : {}),
};
