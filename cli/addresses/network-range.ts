/** A stack's own small ranges: Docker's default pools are exhausted after about 30 networks, and a stack has up to twenty. */
import { existsSync } from "node:fs";
import { mkdir, readFile, readlink, rename, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Failure } from "@routeql/host/failure";
import { cacheFolder, type StackPaths } from "@routeql/host/paths";
import { tryLock } from "@routeql/host/process-lock";
import { type Ipv4Range, overlap, parseRange, parseRanges, subnetsOf } from "@routeql/infra/settings/values/ipv4-range";
import { assignSubnets, type MeasuredNetwork } from "@routeql/infra/targets/docker/subnets";
import type { StackConfiguration } from "../configuration/configuration.ts";
import { type Ranges, rangesFor } from "./used-ranges.ts";

/** Prefix of a range of a stack: 32 subnets for two services each. */
const stackPrefix = 24;

interface Configuration {
  readonly given: Pick<StackConfiguration["given"], "networkRange">;
  readonly plain: Pick<StackConfiguration["plain"], "networkPool">;
}

type LookForRanges = (stack: string) => Promise<Ranges>;

/** The reservation of a range for a stack of this user: a link to the stack's folder. */
const reservationOf = (range: string): string => join(cacheFolder(), "network-ranges", range.replace("/", "-"));

/** The ranges of a stack's file, without texts of another form. */
const rangesIn = (text: string): readonly string[] =>
  text
    .split(",")
    .map((range) => range.trim())
    .filter((range) => parseRange(range) !== undefined);

const keptRanges = async ({ networkRange }: StackPaths): Promise<readonly string[]> =>
  rangesIn(await readFile(networkRange, "utf8").catch(() => ""));

async function keepRanges({ networkRange }: StackPaths, ranges: readonly string[]): Promise<void> {
  await mkdir(dirname(networkRange), { recursive: true, mode: 0o700 });
  // Another command that reads a file which is being written would find no range.
  await writeFile(`${networkRange}.new`, `${ranges.join(",")}\n`);
  await rename(`${networkRange}.new`, networkRange);
}

export interface RangeRequest {
  readonly configuration: Configuration;
  /** The networks that the stack will have. */
  readonly networks: readonly MeasuredNetwork[];
  /** Whether to reserve the ranges. */
  readonly keeps: boolean;
}

/** The stack's ranges, separated by commas. Undefined for a running one of an earlier version, whose networks stay. @throws Failure */
export async function networkRangeOf(
  stack: string,
  paths: StackPaths,
  { configuration: { given, plain }, networks, keeps }: RangeRequest,
  look: LookForRanges = rangesFor,
): Promise<string | undefined> {
  if (given.networkRange !== undefined) return given.networkRange;
  const { used, held } = await look(stack);
  const kept = await keptRanges(paths);
  const runs = Object.keys(held).length > 0;
  if (runs && kept.length === 0) return undefined;
  const isFree = (range: Ipv4Range): boolean => !used.some((other) => overlap(range, other));
  const ranges: string[] = [];
  /** Adds a range that no other stack has reserved. The file comes first: another command takes reservations that it does not list. */
  const add = async (range: string): Promise<void> => {
    if (keeps) await keepRanges(paths, [...ranges, range]);
    if (!keeps || (await reserve(range, paths))) ranges.push(range);
  };
  // The networks of a running stack stay, whatever else overlaps their range.
  if (runs) ranges.push(...kept);
  else for (const range of kept) if (parseRanges(range).every(isFree)) await add(range);
  const fits = (): boolean =>
    ranges.length > 0 && assignSubnets(ranges.join(","), held, networks).size === networks.length;
  for (const { text, ...range } of subnetsOf(parseRange(plain.networkPool)!, stackPrefix)) {
    if (fits()) break;
    if (!ranges.includes(text) && isFree(range)) await add(text);
  }
  if (!fits())
    throw new Failure(
      `The pool ${plain.networkPool} (NETWORK_POOL) has no free /${stackPrefix} for the stack's networks`,
      { remedy: "remove unused stacks, or set NETWORK_POOL to a wider range that this machine does not use." },
    );
  if (keeps) await keepRanges(paths, ranges);
  return ranges.join(",");
}

export async function releaseNetworkRange(paths: StackPaths): Promise<void> {
  for (const range of await keptRanges(paths))
    if ((await readlink(reservationOf(range)).catch(() => undefined)) === paths.folder)
      await rm(reservationOf(range), { force: true });
  await rm(paths.networkRange, { force: true });
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
  if (text !== "ENOENT") return rangesIn(text ?? "").includes(range);
  return existsSync(join(folder, "run.lock"));
}
