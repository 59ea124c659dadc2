import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { dockerClient, isConflict, orUndefined } from "@routeql/host/docker/client";
import type { ResourceKind } from "../shared/provider.ts";
import { removeContainer } from "./container/lifecycle.ts";
import { refuseOtherState, stackLabel } from "@routeql/host/ownership";
import { labelInputs, labelsOf } from "./labels.ts";

const inputs = z.strictObject({
  name: z.string().min(1, { error: "the stand-in docker provider does not generate names: set one" }),
  // A driver's options could mount any folder of the host.
  driver: z.literal("local").optional(),
  labels: labelInputs,
});

const docker = dockerClient();
/** Longer than the longest stop time of any container. */
const removalMilliseconds = 70_000;

const usersOf = (id: string, ...labels: readonly string[]) =>
  docker.listContainers({
    all: true,
    filters: { volume: [id], ...(labels.length === 0 ? {} : { label: [...labels] }) },
  });

/**
 * Pulumi deletes the known users of a volume before the volume. So a stopped container of the same stack that still uses it is left
 * from a failed creation, which kept it for its log; a former one from a failed replacement.
 */
async function removeLeftovers(id: string, stack: string | undefined): Promise<void> {
  if (stack === undefined) return;
  const stopped = (await usersOf(id, `${stackLabel}=${stack}`)).filter(
    ({ State, Names }) => State === "created" || State === "exited" || Names.some((name) => name.endsWith("-former")),
  );
  for (const { Id } of stopped) await removeContainer(Id, {});
}

/** Volume of the docker provider. Creating an existing volume adopts it with its data. */
export const volume: ResourceKind<z.infer<typeof inputs>> = {
  inputs,
  schemaVersion: 1,
  defaults: { driver: "local" },
  deleteBeforeReplace: (olds, news) => olds.name === news.name,

  async create(wanted) {
    const before = await orUndefined(docker.getVolume(wanted.name).inspect());
    refuseOtherState("volume", wanted.name, labelsOf(wanted.labels), before?.Labels);
    const { name } = await docker.createVolume({
      Name: wanted.name,
      Driver: wanted.driver ?? "local",
      Labels: labelsOf(wanted.labels),
    });
    return { id: name, outputs: { mountpoint: (await docker.getVolume(name).inspect()).Mountpoint } };
  },

  read: async (id) => ((await orUndefined(docker.getVolume(id).inspect())) ? {} : undefined),

  async delete(id, { labels }, { signal }) {
    const end = Date.now() + removalMilliseconds;
    for (;;) {
      try {
        await orUndefined(docker.getVolume(id).remove());
        return;
      } catch (error) {
        if (!isConflict(error)) throw error;
        await removeLeftovers(id, labelsOf(labels)[stackLabel]);
        // When several resources are replaced at once, the daemon may still be removing a container that uses the volume.
        if (Date.now() < end) {
          await sleep(500, undefined, { signal });
          continue;
        }
        const names = (await usersOf(id)).map(({ Names }) => Names[0]?.slice(1));
        throw new Error(
          `the volume ${id} is in use by ${names.join(", ")}; stop and remove what does not belong to the stack`,
          { cause: error },
        );
      }
    }
  },
};
