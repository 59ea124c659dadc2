import { addressOf, parseRange, subnetsOf } from "../../settings/ipv4-range.ts";

/**
 * The networks of a stack in the order of their subnets. Append only: a subnet that moves from one network to another overlaps with
 * itself while a stack is upgraded.
 */
const inOrder = [
  "edge",
  "gateway-engine",
  "gateway-auth-sidecar",
  "engine-database",
  "engine-auth-sidecar",
  "auth-sidecar-database",
  "auth-sidecar-sessions",
  "auth-sidecar-directory",
  "migrate-database",
  "apply-metadata-database",
  "database-exporter-database",
  "sessions-exporter-sessions",
  "metrics",
  "monitoring-edge",
  "engine-collector",
  "auth-sidecar-collector",
];

/** 2^4 subnets. Docker's default pools create networks of 65,536 or 4,096 addresses, but a network of two services needs few. */
const subnetBits = 4;

/** The subnet of one network of a stack, with the host's address in it, in the Docker provider's form. */
export function subnetOf(range: string, network: string): { readonly subnet: string; readonly gateway: string } {
  const whole = parseRange(range);
  const subnet =
    whole === undefined ? undefined : [...subnetsOf(whole, whole.prefix + subnetBits)][inOrder.indexOf(network)];
  if (subnet === undefined)
    throw new Error(
      `There is no subnet for the network ${network} in ${range}: add the network to infra/targets/docker/subnets.ts.`,
    );
  return { subnet: subnet.text, gateway: addressOf(subnet.first + 1) };
}
