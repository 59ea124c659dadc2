/** A stack's own small range: Docker's default pools are exhausted after about 30 networks, and a stack has up to nine. */
import { existsSync } from "node:fs";
import { mkdir, readFile, readlink, rename, rm, symlink, writeFile } from "node:fs/promises";
import { networkInterfaces } from "node:os";
import { dirname, join } from "node:path";
import { dockerClient } from "@routeql/host/docker/client";
import { Failure } from "@routeql/host/failure";
import { cacheFolder, type StackPaths } from "@routeql/host/paths";
import { tryLock } from "@routeql/host/process-lock";
import { addressOf, type Ipv4Range, overlap, parseRange, subnetsOf } from "@routeql/infra/settings/ipv4-range";
import type { StackConfiguration } from "./configuration.ts";

/** Prefix of the range of one stack: sixteen subnets with thirteen addresses for containers each. */
const stackPrefix = 24;

interface Configuration {
  readonly given: Pick<StackConfiguration["given"], "networkRange">;
  readonly plain: Pick<StackConfiguration["plain"], "networkPool">;
}

type LookForRanges = (stack: string) => Promise<Ranges>;

/** The reservation of a range for a stack of this user: a link to the stack's folder. */
const reservationOf = (range: string): string => join(cacheFolder(), "network-ranges", range.replace("/", "-"));

const keptRange = async ({ networkRange }: StackPaths): Promise<string | undefined> =>
  (await readFile(networkRange, "utf8").catch(() => undefined))?.trim();

/** The stack's range. Undefined for a running one of an earlier version, whose networks stay. @param keeps to reserve it @throws Failure */
export async function networkRangeOf(
  stack: string,
  paths: StackPaths,
  { given, plain }: Configuration,
  keeps: boolean,
  look: LookForRanges = rangesFor,
): Promise<string | undefined> {
  if (given.networkRange !== undefined) return given.networkRange;
  const { used, hasNetworks } = await look(stack);
  if (hasNetworks) return keptRange(paths);
  for (const range of await freeRanges(paths, plain.networkPool, used)) {
    if (!keeps) return range;
    if (!(await reserve(range, paths))) continue;
    await mkdir(dirname(paths.networkRange), { recursive: true, mode: 0o700 });
    // Another command takes a reservation whose stack names another range or none, as in a file that is being written.
    await writeFile(`${paths.networkRange}.new`, `${range}\n`);
    await rename(`${paths.networkRange}.new`, paths.networkRange);
    return range;
  }
  throw new Failure(
    `The pool ${plain.networkPool} (NETWORK_POOL) has no free /${stackPrefix} for the stack's networks`,
    { remedy: "remove unused stacks, or set NETWORK_POOL to a wider range that this machine does not use." },
  );
}

export async function releaseNetworkRange(paths: StackPaths): Promise<void> {
  const kept = await keptRange(paths);
  if (kept === undefined) return;
  if ((await readlink(reservationOf(kept)).catch(() => undefined)) === paths.folder)
    await rm(reservationOf(kept), { force: true });
  await rm(paths.networkRange, { force: true });
}

/** Ranges of the pool without overlaps; the stack's current range comes first. */
async function freeRanges(paths: StackPaths, pool: string, used: readonly Ipv4Range[]): Promise<string[]> {
  const isFree = (range: Ipv4Range): boolean => !used.some((other) => overlap(range, other));
  const kept = await keptRange(paths);
  const own = kept === undefined ? undefined : parseRange(kept);
  const others = [...subnetsOf(parseRange(pool)!, stackPrefix)].filter(isFree).map(({ text }) => text);
  return own !== undefined && isFree(own) ? [kept!, ...others.filter((range) => range !== kept)] : others;
}

/** False when another stack of this user has reserved the range; that stack may have no networks now. */
async function reserve(range: string, paths: StackPaths): Promise<boolean> {
  const reservation = reservationOf(range);
  await mkdir(dirname(reservation), { recursive: true });
  for (;;) {
    try {
      await symlink(paths.folder, reservation);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
    const holder = await readlink(reservation).catch(() => undefined);
    if (holder === paths.folder) return true;
    if (holder !== undefined && (await isHeld(holder, range))) return false;
    // Removed under a lock, so that no command removes the reservation of another one that took this range over.
    const lock = await tryLock(`${reservation}.lock`, "a command that takes this range over");
    if (!("release" in lock)) continue;
    if ((await readlink(reservation).catch(() => undefined)) === holder) await rm(reservation, { force: true });
    await lock.release();
  }
}

/** A new stack has a folder before it has a range. */
async function isHeld(folder: string, range: string): Promise<boolean> {
  const text = await readFile(join(folder, "network-range"), "utf8").catch(
    (error: NodeJS.ErrnoException) => error.code,
  );
  if (text !== "ENOENT") return text?.trim() === range;
  return existsSync(join(folder, "run.lock"));
}

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

export interface Ranges {
  /** Ranges that the stack's networks must not overlap: other networks, and the host's interfaces and routes. */
  readonly used: readonly Ipv4Range[];
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
