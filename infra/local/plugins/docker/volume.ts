import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { dockerClient, isConflict, orUndefined } from "../../docker/client.ts";
import type { ResourceKind } from "../provider/resource-kind.ts";
import { labelInputs } from "./network.ts";
import { labelsInput } from "./ownership.ts";

const inputs = z.strictObject({
  name: z.string().min(1, { error: "the stand-in docker provider makes no names: give one" }),
  driver: z.string().optional(),
  driverOpts: z.record(z.string(), z.string()).optional(),
  labels: labelInputs,
});

const docker = dockerClient();
/** More than the longest grace that a container gets to stop. */
const removalMilliseconds = 70_000;

/** Volume of the docker provider: making one that exists adopts it, with what it holds. */
export const volume: ResourceKind<z.infer<typeof inputs>> = {
  inputs,
  deleteBeforeReplace: (olds, news) => olds.name === news.name,

  async create(wanted) {
    const { name } = await docker.createVolume({
      Name: wanted.name,
      Driver: wanted.driver ?? "local",
      DriverOpts: wanted.driverOpts ?? {},
      Labels: labelsInput(wanted.labels),
    });
    return { id: name, outputs: { mountpoint: (await docker.getVolume(name).inspect()).Mountpoint } };
  },

  read: async (id) => ((await orUndefined(docker.getVolume(id).inspect())) ? {} : undefined),

  async delete(id, _state, { signal }) {
    const end = Date.now() + removalMilliseconds;
    for (;;) {
      try {
        await orUndefined(docker.getVolume(id).remove());
        return;
      } catch (error) {
        if (!isConflict(error)) throw error;
        // When several resources are replaced at once, the engine may still be taking down a container that uses the volume.
        if (Date.now() < end) {
          await sleep(500, undefined, { signal });
          continue;
        }
        const users = await docker.listContainers({ all: true, filters: { volume: [id] } });
        throw new Error(`the volume ${id} is in use by ${users.map(({ Names }) => Names[0]?.slice(1)).join(", ")}`, {
          cause: error,
        });
      }
    }
  },
};
