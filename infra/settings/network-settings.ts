/** Addresses of a stack's networks on Docker, and names and authorities of other systems: a section of the list in list.ts. */
import { hostEntries } from "./host-entries.ts";
import { parseRange } from "./ipv4-range.ts";
import { file, text } from "./setting.ts";
import type { Check } from "./setting.ts";

/** A stack's range is divided into sixteen subnets. A subnet smaller than /29 has no addresses for tools in addition to two services. */
const [widest, narrowest] = [8, 25];

function ipv4Range(smallest: number): { check: Check<"text">; allowed: string } {
  const allowed = `an IPv4 range in CIDR form from /${widest} to /${smallest}`;
  return {
    check: (value) => {
      const range = parseRange(value);
      return range !== undefined && range.prefix >= widest && range.prefix <= smallest
        ? undefined
        : `must be ${allowed}, not ${JSON.stringify(value)}`;
    },
    allowed,
  };
}

export const networkSettings = {
  networkRange: text({
    meaning:
      "Docker: range of this stack's networks. Without it `npm run up` reserves a free /24 of `networkPool`; with `pulumi up` Docker chooses.",
    ...ipv4Range(narrowest),
  }),
  networkPool: text({
    default: "192.168.192.0/18",
    meaning: "Docker: range in which `npm run up` looks for a free /24.",
    ...ipv4Range(24),
  }),
  extraHosts: text({
    meaning:
      "Host names that no name server knows, for every connection to another system. Containers do not see `/etc/hosts`.",
    ...hostEntries,
  }),
  authoritiesFile: file({
    meaning:
      "Certificate authorities (PEM) of your organisation, for every connection to another system, in addition to the public ones. A `…CaFile` of one connection replaces them there.",
  }),
};
