import { z } from "zod";
import { dockerClient, orUndefined } from "../../docker/client.ts";
import { changedNames, type Properties } from "../provider/values.ts";
import type { ResourceKind } from "../provider/resource-kind.ts";
import { assertOurs, labelsInput } from "./ownership.ts";

export const labelInputs = z.array(z.strictObject({ label: z.string(), value: z.string() })).optional();

const inputs = z.strictObject({
  name: z.string().min(1, { error: "the stand-in docker provider makes no names: give one" }),
  driver: z.string().optional(),
  internal: z.boolean().optional(),
  attachable: z.boolean().optional(),
  options: z.record(z.string(), z.string()).optional(),
  labels: labelInputs,
});
type NetworkInputs = z.infer<typeof inputs>;

const docker = dockerClient();

/** Docker's defaults make about 30 networks on a host, and a stack has one for each pair of parts that may talk. */
const noAddresses =
  "Docker has no range of addresses left for another network. Take down a stack that is not needed, remove networks that nothing uses (docker network prune), or give the Docker engine more ranges (default-address-pools in /etc/docker/daemon.json)";

/** Removes a network with whatever hangs on it; fine when it is gone. */
async function removeNetwork(id: string): Promise<void> {
  const network = docker.getNetwork(id);
  const info = (await orUndefined(network.inspect())) as { Containers?: Record<string, unknown> } | undefined;
  for (const container of Object.keys(info?.Containers ?? {})) {
    await orUndefined(network.disconnect({ Container: container, Force: true }));
  }
  await orUndefined(network.remove());
}

/** The network's own facts that have an input of the same meaning. */
function observed(info: {
  Driver: string;
  Internal?: boolean;
  Attachable?: boolean;
  Labels?: Record<string, string> | null;
}): Properties {
  return {
    driver: info.Driver,
    internal: info.Internal ?? false,
    attachable: info.Attachable ?? false,
    labels: info.Labels ?? {},
  };
}
function expected(wanted: NetworkInputs): Properties {
  return {
    driver: wanted.driver ?? "bridge",
    internal: wanted.internal ?? false,
    attachable: wanted.attachable ?? false,
    labels: labelsInput(wanted.labels),
  };
}

/** Network of the docker provider. */
export const network: ResourceKind<NetworkInputs> = {
  inputs,
  deleteBeforeReplace: (olds, news) => olds.name === news.name,

  async create(wanted) {
    // Names of networks are not unique for the engine: whatever has this one already has to go first.
    const same = await docker.listNetworks({ filters: { name: [`^${wanted.name}$`] } });
    for (const left of same) {
      assertOurs("network", wanted.name, labelsInput(wanted.labels), left.Labels);
      await removeNetwork(left.Id);
    }
    const created = await docker
      .createNetwork({
        Name: wanted.name,
        Driver: wanted.driver ?? "bridge",
        Internal: wanted.internal ?? false,
        Attachable: wanted.attachable ?? false,
        Options: wanted.options ?? {},
        Labels: labelsInput(wanted.labels),
        CheckDuplicate: true,
      })
      .catch((error: unknown) => {
        throw /address pool/.test(String(error)) ? new Error(noAddresses, { cause: error }) : error;
      });
    return { id: created.id, outputs: {} };
  },

  async read(id, state) {
    const info = await orUndefined(docker.getNetwork(id).inspect());
    if (!info) return undefined;
    const [is, should] = [observed(info), expected(state)];
    return { drift: changedNames(Object.keys(should), is, should), repair: "replace" };
  },

  delete: (id) => removeNetwork(id),
};
