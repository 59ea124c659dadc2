import { Network, type types } from "@pulumi/docker";
import type { Input, Output, Resource } from "@pulumi/pulumi";
import { derive } from "../../inputs.ts";
import { callEdges, outsideEdges, type ServiceDescription, type ServiceName } from "../../services/description.ts";
import { addressOf, parseRange, subnetsOf } from "../../settings/ipv4-range.ts";
import { labels, replaceInPlace, type Scope } from "./scope.ts";

/** The host has no address on the bridge, so that a container reaches none of its services there. */
const withoutHost = { "com.docker.network.bridge.inhibit_ipv4": "true" };

export type Attachments = (service: ServiceName) => types.input.ContainerNetworksAdvanced[];

interface Joined {
  readonly members: readonly ServiceName[];
  readonly name: Output<string>;
}

/**
 * Creates the networks: one internal network for each call edge, which has only its two members, no external access and no address of the
 * host; for each external edge one network with external access and the caller as its only member; networks with external access for
 * services that publish ports, for those that publish them on 127.0.0.1 only or send alerts, and for the archive in an object storage; and one
 * internal network for metrics.
 * @param range range of the networks' subnets; without it the Docker engine chooses
 */
export function connect(
  services: readonly ServiceDescription[],
  scope: Scope,
  parent: Resource,
  range?: Input<string>,
): Attachments {
  const network = (suffix: string, internal: boolean): Output<string> => {
    const isolation = internal ? { options: withoutHost } : {};
    const ipamConfigs = range === undefined ? {} : { ipamConfigs: [derive(range, (known) => subnetOf(known, suffix))] };
    return new Network(
      scope.named(suffix),
      { name: `${scope.prefix}-${suffix}`, internal, ...isolation, ...ipamConfigs, labels: labels(scope) },
      // Another label would replace the network, which its containers lose before.
      { parent, ignoreChanges: ["labels"], ...replaceInPlace },
    ).name;
  };

  const joined: Joined[] = callEdges(services).map((edge) => ({ members: edge, name: network(edge.join("-"), true) }));
  // Alerts leave by the network of the monitoring; the database and its archive share their data anyway.
  const ownEdges = outsideEdges(services).filter(([, place]) => place !== "receiver" && place !== "storage");
  for (const edge of ownEdges) joined.push({ members: [edge[0]], name: network(edge.join("-"), false) });
  const shared = (suffix: string, internal: boolean, belongs: (service: ServiceDescription) => boolean): void => {
    const members = services.filter(belongs).map(({ name }) => name);
    if (members.length > 0) joined.push({ members, name: network(suffix, internal) });
  };
  shared("edge", false, ({ ports }) => ports.some(({ loopback }) => loopback !== true));
  shared(
    "monitoring-edge",
    false,
    ({ ports, callsOutside = [] }) =>
      ports.some(({ loopback }) => loopback === true) || callsOutside.includes("receiver"),
  );
  shared("storage", false, ({ callsOutside = [] }) => callsOutside.includes("storage"));
  shared("metrics", true, ({ joinsMetrics }) => joinsMetrics === true);

  return (service) =>
    joined.filter(({ members }) => members.includes(service)).map(({ name }) => ({ name, aliases: [service] }));
}

/** The networks in the order of their subnets. Append only: a moved subnet would overlap with itself in an upgrade. */
const inOrder: readonly (readonly string[])[] = [
  ["edge"],
  ["gateway-engine", "gateway-front"],
  ["gateway-auth-sidecar"],
  ["engine-database"],
  ["engine-auth-sidecar", "front-auth-sidecar"],
  ["auth-sidecar-database"],
  ["auth-sidecar-sessions"],
  ["auth-sidecar-directory"],
  ["migrate-database"],
  ["apply-metadata-database"],
  ["database-exporter-database"],
  ["sessions-exporter-sessions"],
  ["metrics"],
  ["monitoring-edge"],
  ["engine-collector", "front-collector"],
];

/** Networks that share a sixteenth, by the index of their half: the sixteen were full before the last ones came. */
const halves: Readonly<Record<string, number>> = {
  "migrate-database": 16,
  storage: 17,
  "auth-sidecar-collector": 30,
  "front-engine": 31,
};

/** 2^4 subnets. Docker's default pools create networks of 65,536 or 4,096 addresses, but a network of two services needs few. */
const subnetBits = 4;

/** The subnet of one network of a stack, with the host's address in it, in the Docker provider's form. */
export function subnetOf(range: string, network: string): { readonly subnet: string; readonly gateway: string } {
  const whole = parseRange(range);
  const half = halves[network];
  const [bits, index] =
    half === undefined ? [subnetBits, inOrder.findIndex((names) => names.includes(network))] : [subnetBits + 1, half];
  const subnet = whole === undefined ? undefined : [...subnetsOf(whole, whole.prefix + bits)][index];
  if (subnet === undefined)
    throw new Error(
      `There is no subnet for the network ${network} in ${range}: add the network to infra/targets/docker/networks.ts.`,
    );
  return { subnet: subnet.text, gateway: addressOf(subnet.first + 1) };
}
