/** Addresses of a stack's networks on Docker, and names and authorities of other systems: a section of the list in list.ts. */
import { hostEntries } from "../values/host-entries.ts";
import { addressOf, overlap, parseRange, parseRanges } from "../values/ipv4-range.ts";
import { file, text } from "../values/setting.ts";
import type { Check } from "../values/setting.ts";

/** A network of two services takes a /29, so /25 has room for a small stack. */
const [widest, narrowest] = [8, 25];

/** This host, loopback, link-local, multicast and reserved addresses (RFC 6890). */
const unusable = parseRanges("0.0.0.0/8,127.0.0.0/8,169.254.0.0/16,224.0.0.0/3");

function ipv4Range(smallest: number): { check: Check<"text">; allowed: string } {
  const allowed = `an IPv4 range in CIDR form from /${widest} to /${smallest}`;
  return {
    check: (value) => {
      const range = parseRange(value);
      if (range === undefined || range.prefix < widest || range.prefix > smallest)
        return `must be ${allowed}, not ${JSON.stringify(value)}`;
      const other = unusable.find((each) => overlap(each, range));
      return other === undefined
        ? undefined
        : `must not have addresses of ${addressOf(other.first)}/${other.prefix}, which no network can have, as ${JSON.stringify(value)} has`;
    },
    allowed,
  };
}

/** Ranges that commas separate. */
function ipv4Ranges(smallest: number): { check: Check<"text">; allowed: string } {
  const { check, allowed } = ipv4Range(smallest);
  const problemOf = (value: string): string | undefined => check(value.trim());
  return {
    check: (value) =>
      value
        .split(",")
        .map(problemOf)
        .find((problem) => problem !== undefined),
    allowed: `${allowed}, or several, separated by commas`,
  };
}

export const networkSettings = {
  networkRange: text({
    argument: "networkRange",
    environment: "NETWORK_RANGE",
    meaning:
      "Docker: ranges of this stack's networks. Without it `npm run up` reserves free /24 ranges of `networkPool`; with `pulumi up` Docker chooses.",
    ...ipv4Ranges(narrowest),
  }),
  networkPool: text({
    argument: "networkPool",
    environment: "NETWORK_POOL",
    default: "192.168.192.0/18",
    meaning: "Docker: range in which `npm run up` looks for a free /24.",
    ...ipv4Range(24),
  }),
  extraHosts: text({
    argument: "extraHosts",
    environment: "EXTRA_HOSTS",
    meaning:
      "Host names that no name server knows, for every connection to another system. Containers do not see `/etc/hosts`.",
    ...hostEntries,
  }),
  authoritiesFile: file({
    argument: "authoritiesFile",
    environment: "AUTHORITIES_FILE",
    meaning:
      "Certificate authorities (PEM) of your organisation, for every connection to another system, in addition to the public ones. A `…CaFile` of one connection replaces them there.",
  }),
};
