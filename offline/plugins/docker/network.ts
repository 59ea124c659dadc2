import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { dockerClient, orUndefined } from "@routeql/host/docker/client";
import { changedNames, type Properties } from "../shared/values.ts";
import type { ResourceKind } from "../shared/provider.ts";
import { assertOurs } from "@routeql/host/ownership";
import { labelInputs, labelsOf } from "./labels.ts";

const inputs = z.strictObject({
  name: z.string().min(1, { error: "the stand-in docker provider does not generate names: set one" }),
  driver: z.string().optional(),
  internal: z.boolean().optional(),
  options: z.record(z.string(), z.string()).optional(),
  labels: labelInputs,
  ipamConfigs: z.array(z.strictObject({ subnet: z.string(), gateway: z.string() })).optional(),
});
type NetworkInputs = z.infer<typeof inputs>;

const docker = dockerClient();

/** Errors of the daemon for missing or overlapping address ranges, with the remedy for each. */
const refusals = [
  {
    reason: /non-overlapping IPv4 address pool|address pools? .*subnetted/,
    text: () =>
      "Docker has no free address range for another network. Set NETWORK_RANGE, stop an unused stack, remove unused networks (docker network ls, docker network rm NAME), or give the Docker daemon more ranges (default-address-pools in /etc/docker/daemon.json)",
  },
  {
    reason: /Pool overlaps|conflicts with network/,
    text: (subnets: string) =>
      `Another network of this Docker host uses addresses of ${subnets}. Run npm run up again, which chooses a free range, or set NETWORK_RANGE to a range that no network uses`,
  },
];

function explained(error: unknown, { ipamConfigs = [] }: NetworkInputs): unknown {
  const refusal = refusals.find(({ reason }) => reason.test(String(error)));
  return refusal === undefined
    ? error
    : new Error(refusal.text(ipamConfigs.map(({ subnet }) => subnet).join(", ")), { cause: error });
}

/** A container that restarts may rejoin the network after it was disconnected. */
const removalMilliseconds = 30_000;

/** Docker's errors for a container that left the network in the meantime, or is being removed. */
const leavesByItself = /is not connected|is marked for removal/;

/** Removes a network and disconnects its containers; succeeds if it is already removed. */
async function removeNetwork(id: string): Promise<void> {
  const network = docker.getNetwork(id);
  const end = Date.now() + removalMilliseconds;
  for (;;) {
    const info = (await orUndefined(network.inspect())) as { Containers?: Record<string, unknown> } | undefined;
    if (info === undefined) return;
    // Stopped containers would rejoin the network when they start.
    const configured = await docker.listContainers({ all: true, filters: { network: [id] } });
    for (const container of new Set([...Object.keys(info.Containers ?? {}), ...configured.map(({ Id }) => Id)])) {
      await orUndefined(network.disconnect({ Container: container, Force: true })).catch((error: unknown) => {
        if (!leavesByItself.test(String(error))) throw error;
      });
    }
    try {
      await orUndefined(network.remove());
      return;
    } catch (error) {
      if (!/active endpoints/.test(String(error)) || Date.now() > end) throw error;
      await sleep(200);
    }
  }
}

/** Properties of the network that correspond to inputs. */
function observed(info: {
  Driver: string;
  Internal?: boolean;
  Labels?: Record<string, string> | null;
  IPAM?: { Config?: readonly { Subnet?: string; Gateway?: string }[] | null };
}): Properties {
  return {
    driver: info.Driver,
    internal: info.Internal ?? false,
    labels: info.Labels ?? {},
    ipamConfigs: (info.IPAM?.Config ?? []).map(({ Subnet: subnet, Gateway: gateway }) => ({ subnet, gateway })),
  };
}
function expected(wanted: NetworkInputs): Properties {
  return {
    driver: wanted.driver ?? "bridge",
    internal: wanted.internal ?? false,
    labels: labelsOf(wanted.labels),
    // Without the input, any addresses are correct.
    ...(wanted.ipamConfigs === undefined ? {} : { ipamConfigs: wanted.ipamConfigs }),
  };
}

export const network: ResourceKind<NetworkInputs> = {
  inputs,
  schemaVersion: 1,
  defaults: { driver: "bridge", internal: false, options: {}, ipamDriver: "default", ipamConfigs: [] },
  deleteBeforeReplace: (olds, news) => olds.name === news.name,

  async create(wanted) {
    // Network names are not unique in the daemon, so an existing network with this name is removed first.
    const same = await docker.listNetworks({ filters: { name: [`^${wanted.name}$`] } });
    for (const left of same) {
      assertOurs("network", wanted.name, labelsOf(wanted.labels), left.Labels);
      await removeNetwork(left.Id);
    }
    const created = await docker
      .createNetwork({
        Name: wanted.name,
        Driver: wanted.driver ?? "bridge",
        Internal: wanted.internal ?? false,
        Options: wanted.options ?? {},
        Labels: labelsOf(wanted.labels),
        CheckDuplicate: true,
        ...(wanted.ipamConfigs === undefined
          ? {}
          : {
              IPAM: {
                Driver: "default",
                Config: wanted.ipamConfigs.map(({ subnet, gateway }) => ({ Subnet: subnet, Gateway: gateway })),
              },
            }),
      })
      .catch((error: unknown) => {
        throw explained(error, wanted);
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
