/** A stack's own small ranges: Docker's default pools are exhausted after about 30 networks, and a stack has up to twenty. */
import { readFile, rm } from "node:fs/promises";
import { Failure } from "@routeql/host/failure";
import type { StackPaths } from "@routeql/host/paths";
import { type Ipv4Range, overlap, parseRange, parseRanges, subnetsOf } from "@routeql/infra/settings/values/ipv4-range";
import { assignSubnets, type MeasuredNetwork } from "@routeql/infra/targets/docker/subnets";
import type { StackConfiguration } from "../configuration/configuration.ts";
import { readReservations, replaceFile, type Reservations, reserveRanges } from "./reservations.ts";
import { type Ranges, rangesFor } from "./used-ranges.ts";

/** Prefix of a range of a stack: 32 subnets for two services each. */
const stackPrefix = 24;

interface Configuration {
  readonly given: Pick<StackConfiguration["given"], "networkRange">;
  readonly plain: Pick<StackConfiguration["plain"], "networkPool">;
}

type LookForRanges = (stack: string) => Promise<Ranges>;

/** The ranges in the stack's own file; none without a file. Texts of another form do not count. */
async function keptRanges({ networkRange: file }: StackPaths): Promise<readonly string[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  const texts = text.split(",").map((range) => range.trim());
  return texts.filter((range) => parseRange(range) !== undefined);
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
  const seen = await look(stack);
  const kept = await keptRanges(paths);
  const choose = (reservations: Reservations): readonly string[] | undefined =>
    chooseRanges(plain.networkPool, networks, kept, reservations, seen);
  if (!keeps) {
    const { [paths.folder]: _own, ...others } = await readReservations();
    return choose(others)?.join(",");
  }
  const ranges = (await reserveRanges(paths.folder, choose))?.join(",");
  if (ranges !== undefined) await replaceFile(paths.networkRange, `${ranges}\n`);
  return ranges;
}

/** @param kept the ranges that the stack has. @param reservations those of other stacks, which may have no networks now */
function chooseRanges(
  pool: string,
  networks: readonly MeasuredNetwork[],
  kept: readonly string[],
  reservations: Reservations,
  { used, held }: Ranges,
): readonly string[] | undefined {
  const runs = Object.keys(held).length > 0;
  if (runs && kept.length === 0) return undefined;
  const taken = [...used, ...Object.values(reservations).flat().flatMap(parseRanges)];
  const isFree = (range: Ipv4Range): boolean => !taken.some((other) => overlap(range, other));
  // The networks of a running stack stay, whatever else overlaps their range.
  const ranges = runs ? [...kept] : kept.filter((range) => parseRanges(range).every(isFree));
  const fits = (): boolean =>
    ranges.length > 0 && assignSubnets(ranges.join(","), held, networks).size === networks.length;
  for (const { text, ...range } of subnetsOf(parseRange(pool)!, stackPrefix)) {
    if (fits()) return ranges;
    if (!ranges.includes(text) && isFree(range)) ranges.push(text);
  }
  if (fits()) return ranges;
  throw new Failure(`The pool ${pool} (NETWORK_POOL) has no free /${stackPrefix} for the stack's networks`, {
    remedy: "remove unused stacks, or set NETWORK_POOL to a wider range that this machine does not use.",
  });
}

export async function releaseNetworkRange(paths: StackPaths): Promise<void> {
  await reserveRanges(paths.folder, () => undefined);
  await rm(paths.networkRange, { force: true });
}
