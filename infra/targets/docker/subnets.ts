/** Subnets of a stack's networks. A network keeps its subnet, and a new one takes the first free one of the stack's ranges. */
import {
  addressOf,
  type Ipv4Range,
  overlap,
  parseRange,
  parseRanges,
  subnetsOf,
} from "../../settings/values/ipv4-range.ts";

/** A subnet in CIDR form with the host's address in it, in the Docker provider's form. */
export interface Subnet {
  readonly subnet: string;
  readonly gateway: string;
}

/** Subnets in CIDR form by network, without the stack's prefix. */
export type HeldSubnets = Readonly<Record<string, string>>;

export interface MeasuredNetwork {
  readonly name: string;
  readonly members: readonly unknown[];
  /** Addresses for containers beside the members; 2 if absent. */
  readonly guests?: number;
}

/** Length of the prefix: addresses for the members and guests, and the three of the network itself. Docker's default is /16. */
const prefixFor = ({ members, guests = 2 }: MeasuredNetwork): number =>
  32 - Math.max(3, Math.ceil(Math.log2(members.length + guests + 3)));

const inside = (inner: Ipv4Range, outer: Ipv4Range): boolean => outer.first <= inner.first && inner.last <= outer.last;

/**
 * @param ranges in CIDR form, separated by commas
 * @param held subnets of all networks that exist, also of those that the update removes: it creates others first
 * @returns the subnet of each network, except of those without room
 */
export function assignSubnets(
  ranges: string,
  held: HeldSubnets,
  networks: readonly MeasuredNetwork[],
): ReadonlyMap<string, Subnet> {
  const whole = parseRanges(ranges);
  const taken: Ipv4Range[] = Object.values(held).flatMap((text) => parseRange(text) ?? []);
  const assigned = new Map<string, Subnet>();
  const assign = (name: string, text: string, { first }: Ipv4Range): void =>
    void assigned.set(name, { subnet: text, gateway: addressOf(first + 1) });
  for (const network of networks) {
    const text = held[network.name];
    const own = text === undefined ? undefined : parseRange(text);
    if (text !== undefined && own !== undefined && whole.some((range) => inside(own, range))) {
      assign(network.name, text, own);
      continue;
    }
    const prefix = prefixFor(network);
    const free = whole
      .flatMap((range) => [...subnetsOf(range, prefix)])
      .find((subnet) => !taken.some((other) => overlap(subnet, other)));
    if (free === undefined) continue;
    taken.push(free);
    assign(network.name, free.text, free);
  }
  return assigned;
}
