/** Address ranges of this machine that a stack's networks must not overlap. */
import { readFile } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import { dockerClient } from "@routeql/host/docker/client";
import { addressOf, type Ipv4Range, parseRange } from "@routeql/infra/settings/values/ipv4-range";
import type { HeldSubnets } from "@routeql/infra/targets/docker/subnets";

/** Ranges of the routes in the text of /proc/net/route (proc(5)), without the default route. */
export function routedRanges(table: string): Ipv4Range[] {
  const address = (hexadecimal: string): string => addressOf(Buffer.from(hexadecimal, "hex").readUInt32LE());
  return table
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter((columns) => columns.length > 7 && columns[7] !== "00000000")
    .flatMap(([, destination = "", , , , , , mask = ""]) => {
      const prefix = Buffer.from(mask, "hex").readUInt32LE().toString(2).replaceAll("0", "").length;
      return parseRange(`${address(destination)}/${prefix}`) ?? [];
    });
}

/** Ranges that this machine already reaches: its interfaces and its routes. */
async function hostRanges(): Promise<Ipv4Range[]> {
  const interfaces = Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.flatMap(({ cidr }) => parseRange(cidr ?? "") ?? []),
  );
  return [...interfaces, ...routedRanges(await readFile("/proc/net/route", "utf8").catch(() => ""))];
}

interface NetworkInfo {
  readonly Name: string;
  readonly Labels?: Readonly<Record<string, string>> | null;
  readonly IPAM?: { readonly Config?: readonly { readonly Subnet?: string }[] | null } | null;
}

const rangesOf = ({ IPAM }: NetworkInfo): Ipv4Range[] =>
  (IPAM?.Config ?? []).flatMap(({ Subnet }) => parseRange(Subnet ?? "") ?? []);

export interface Ranges {
  /** Ranges that the stack's networks must not overlap: other networks, and the host's interfaces and routes. */
  readonly used: readonly Ipv4Range[];
  /** Subnets of the stack's own networks, by their names without the stack's prefix. */
  readonly held: HeldSubnets;
}

export async function rangesFor(stack: string): Promise<Ranges> {
  const networks = (await dockerClient().listNetworks()) as NetworkInfo[];
  const isOwn = ({ Labels }: NetworkInfo): boolean => Labels?.["com.routeql.stack"] === stack;
  const ownNetworks = networks.filter(isOwn);
  const own = ownNetworks.flatMap(rangesOf);
  const isKnown = ({ first, last }: Ipv4Range): boolean =>
    own.some((range) => range.first === first && range.last === last);
  const used = [
    ...networks.filter((network) => !isOwn(network)).flatMap(rangesOf),
    ...(await hostRanges()).filter((range) => !isKnown(range)),
  ];
  const held = ownNetworks.map(({ Name, IPAM }) => [
    Name.replace(`routeql-${stack}-`, ""),
    IPAM?.Config?.[0]?.Subnet ?? "",
  ]);
  return { used, held: Object.fromEntries(held) as HeldSubnets };
}
