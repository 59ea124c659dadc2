import { Network, type types } from "@pulumi/docker";
import { all, type Input, output, type Output, type Resource } from "@pulumi/pulumi";
import { callEdges, outsideEdges, type ServiceDescription, type ServiceName } from "../../description/service.ts";
import { mtuOptions, smallMtu } from "./host-mtu.ts";
import { labels, replaceInPlace, type Scope } from "./scope.ts";
import { assignSubnets, type HeldSubnets, type Subnet } from "./subnets.ts";

/** The host has no address on the bridge, so that a container reaches none of its services there. */
const withoutHost = { "com.docker.network.bridge.inhibit_ipv4": "true" };

export type Attachments = (service: ServiceName) => types.input.ContainerNetworksAdvanced[];

export interface PlannedNetwork {
  /** Without the stack's prefix. */
  readonly name: string;
  readonly members: readonly ServiceName[];
  /** Without external access, and without an address of the host. */
  readonly internal: boolean;
  /** Addresses for containers beside the members. */
  readonly guests?: number;
}

/**
 * The networks: one internal network for each call edge, which has only its two members; for each external edge one network with external
 * access and the caller as its only member; networks with external access for services that publish ports, for those that publish them on
 * 127.0.0.1 only or send alerts, and for the archive in an object storage; and one internal network for metrics.
 */
export function networksOf(services: readonly ServiceDescription[]): readonly PlannedNetwork[] {
  // Alerts leave by the network of the monitoring; the database and its archive share their data anyway.
  const ownEdges = outsideEdges(services).filter(([, place]) => place !== "receiver" && place !== "storage");
  const shared = (
    name: string,
    internal: boolean,
    belongs: (service: ServiceDescription) => boolean,
  ): PlannedNetwork => ({ name, internal, members: services.filter(belongs).map((service) => service.name) });
  return [
    ...callEdges(services).map((edge) => ({ name: edge.join("-"), members: edge, internal: true })),
    ...ownEdges.map((edge) => ({ name: edge.join("-"), members: [edge[0]], internal: false })),
    // Clients and proxies of the host's other containers join it.
    { ...shared("edge", false, ({ ports }) => ports.some(({ loopback }) => loopback !== true)), guests: 12 },
    shared(
      "monitoring-edge",
      false,
      ({ ports, callsOutside = [] }) =>
        ports.some(({ loopback }) => loopback === true) || callsOutside.includes("receiver"),
    ),
    shared("storage", false, ({ callsOutside = [] }) => callsOutside.includes("storage")),
    shared("metrics", true, ({ joinsMetrics }) => joinsMetrics === true),
  ].filter(({ members }) => members.length > 0);
}

export interface Addresses {
  /** Ranges of the networks' subnets. */
  readonly ranges: Input<string>;
  /** Subnets that networks of the stack already have. */
  readonly held: Input<HeldSubnets>;
}

/** Creates the networks. @param addresses without them the Docker daemon chooses */
export function connect(
  services: readonly ServiceDescription[],
  scope: Scope,
  parent: Resource,
  addresses?: Addresses,
): Attachments {
  const planned = networksOf(services);
  const mtu = smallMtu();
  const subnets = addresses && all([addresses.ranges, addresses.held]);
  const subnetOf = (name: string): Output<Subnet> | undefined =>
    subnets?.apply(([ranges, held]) => {
      const subnet = assignSubnets(ranges, held, planned).get(name);
      if (subnet === undefined)
        throw new Error(
          `The network ${name} has no room in ${ranges} (networkRange). Add a second range that this machine does not use, after a comma.`,
        );
      return subnet;
    });
  const joined = planned.map(({ name, members, internal }) => {
    const subnet = subnetOf(name);
    const options = internal ? { options: withoutHost } : outwards(`${scope.prefix}-${name}`, mtu);
    const ipamConfigs = subnet === undefined ? {} : { ipamConfigs: [subnet] };
    const network = new Network(
      scope.named(name),
      { name: `${scope.prefix}-${name}`, internal, ...options, ...ipamConfigs, labels: labels(scope) },
      // Another label would replace the network, which its containers lose before.
      { parent, ignoreChanges: ["labels"], ...replaceInPlace },
    );
    return { members, name: network.name };
  });
  return (service) =>
    joined.filter(({ members }) => members.includes(service)).map(({ name }) => ({ name, aliases: [service] }));
}

/** Without an option the input is absent: an empty object would replace a network that was created without it. */
const outwards = (network: string, mtu: number | undefined) =>
  mtu === undefined ? {} : { options: output(mtuOptions(network, mtu)) as Output<Record<string, string>> };
