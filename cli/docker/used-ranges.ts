import { readFile } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import { addressOf, type Ipv4Range, parseRange } from "@routeql/infra/settings/ipv4-range";
import { dockerClient } from "@routeql/host/docker/client";

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
  readonly Labels?: Readonly<Record<string, string>> | null;
  readonly IPAM?: { readonly Config?: readonly { readonly Subnet?: string }[] | null } | null;
}

const rangesOf = ({ IPAM }: NetworkInfo): Ipv4Range[] =>
  (IPAM?.Config ?? []).flatMap(({ Subnet }) => parseRange(Subnet ?? "") ?? []);

/** Address ranges on a host that matter to a stack. */
export interface Ranges {
  /** Ranges that the stack's networks must not overlap: other networks, and the host's interfaces and routes. */
  readonly used: readonly Ipv4Range[];
  /** Whether the stack has networks already. */
  readonly hasNetworks: boolean;
}

export async function rangesFor(stack: string): Promise<Ranges> {
  const networks = (await dockerClient().listNetworks()) as NetworkInfo[];
  const isOwn = ({ Labels }: NetworkInfo): boolean => Labels?.["com.routeql.stack"] === stack;
  const own = networks.filter(isOwn).flatMap(rangesOf);
  const isKnown = ({ first, last }: Ipv4Range): boolean =>
    own.some((range) => range.first === first && range.last === last);
  const used = [
    ...networks.filter((network) => !isOwn(network)).flatMap(rangesOf),
    ...(await hostRanges()).filter((range) => !isKnown(range)),
  ];
  return { used, hasNetworks: networks.some(isOwn) };
}
