import type { Client } from "pg";
import { alone, type Patience, patiently } from "./patience.ts";
import { exchange, type Partition, partitionOf, partitionsBefore } from "./partitions.ts";

export interface MergeOptions {
  readonly patience: Patience;
  /** Disk size limit of the partitions that this run rewrites; the smallest months come first. */
  readonly mostBytes?: number;
  /** Called with each finished month, as in `2026-03`. */
  readonly onMonth?: (month: string) => void;
}

/**
 * Merges the daily partitions of earlier versions into one for each month. A month is one step; the next run resumes an interrupted one.
 * @param client connected as the owner
 * @returns how many months still have daily partitions because they are too large for this run.
 * @throws InTheWay
 */
export async function mergeDays(client: Client, options: MergeOptions): Promise<number> {
  return (await months(client)).length === 0
    ? 0
    : alone(client, options.patience.turn, () => mergeAlone(client, options));
}

async function mergeAlone(client: Client, { patience, mostBytes = Infinity, onMonth }: MergeOptions): Promise<number> {
  const all = await months(client);
  let room = mostBytes;
  for (const [index, { month, parts, bytes }] of all.entries()) {
    room -= bytes;
    if (room < 0) return all.length - index;
    await patiently(client, patience, () => exchange(client, parts, partitionOf(month), "all"));
    onMonth?.(month);
  }
  return 0;
}

/** The months with daily partitions, the smallest first. */
async function months(client: Client): Promise<{ month: string; parts: Partition[]; bytes: number }[]> {
  const days = (await partitionsBefore(client)).filter(({ unit }) => unit === "day");
  return [...Map.groupBy(days, ({ first }) => first.slice(0, 7))]
    .map(([month, parts]) => ({ month, parts, bytes: parts.reduce((sum, part) => sum + part.bytes, 0) }))
    .toSorted((a, b) => a.bytes - b.bytes);
}
