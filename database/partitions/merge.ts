import type { Client } from "pg";
import { exchange } from "./exchange.ts";
import { partitionOf, partitionsBefore, type Partition } from "./partitions.ts";
import { type Patience, patiently } from "./patience.ts";

export interface MergeOptions {
  readonly patience: Patience;
  /** What the partitions that are written anew in this run may take on the disk together; the smallest months come first. */
  readonly mostBytes?: number;
  /** Called with the month, as in `2026-03`, when it is done. */
  readonly onMonth?: (month: string) => void;
}

/**
 * Makes one partition of each month whose days earlier versions gave one each. A month is one step: what is interrupted goes on in the next run.
 * @param client connected as the owner
 * @returns how many months still have a partition a day, because they are too large for this run.
 * @throws InTheWay
 */
export async function mergeDays(client: Client, { patience, mostBytes = Infinity, onMonth }: MergeOptions): Promise<number> {
  const days = (await partitionsBefore(client)).filter(({ unit }) => unit === "day");
  const months = [...Map.groupBy(days, ({ first }) => first.slice(0, 7))]
    .map(([month, parts]) => ({ month, parts, bytes: sizeOf(parts) }))
    .toSorted((a, b) => a.bytes - b.bytes);
  let left = mostBytes;
  for (const [index, { month, parts, bytes }] of months.entries()) {
    left -= bytes;
    if (left < 0) return months.length - index;
    await patiently(client, patience, () => exchange(client, parts, partitionOf(month), "all"));
    onMonth?.(month);
  }
  return 0;
}

const sizeOf = (parts: readonly Partition[]): number => parts.reduce((sum, { bytes }) => sum + bytes, 0);
