import type { Refusal } from "./refusal.ts";
import { type Skipped, timestampOfEpoch, type Update } from "./update.ts";

/** One BGP message of a live source, and its updates. */
export interface LiveMessage {
  /** Distinguishes messages with equal content at one time: two sessions of one AS. A message that arrives twice has it twice. */
  readonly id: string;
  /** Withdrawn prefixes first, as in files. */
  readonly parsed: readonly (Update | Skipped | Refusal)[];
}

/**
 * UTC time of seconds since 1970 as a JSON number, which has lost trailing zeros. The digits of a stored time show how exact its source is
 * (batches/publish.ts), so that a live source's time keeps them: a zero in the last place of `digits` becomes 1.
 * @param digits 3 for a source with milliseconds or less, 6 for microseconds
 */
export function timestampOfNumber(value: unknown, digits: 3 | 6): string | undefined {
  if (typeof value !== "number") return undefined;
  const timestamp = timestampOfEpoch(value.toFixed(6));
  if (timestamp === undefined) return undefined;
  const [whole = "", decimals = ""] = timestamp.split(".");
  const shown = /[1-9]/.test(decimals.slice(3)) ? decimals : decimals.slice(0, digits);
  return `${whole}.${/[1-9]/.test(digits === 3 ? shown : shown.slice(3)) ? shown : `${shown.slice(0, -1)}1`}`;
}

/** JSON text of communities that are lists of two (RFC 1997) or three numbers (RFC 8092); undefined for other values. */
export function communitiesOfLists(...values: readonly unknown[]): string | undefined {
  const lists: string[] = [];
  for (const value of values) {
    if (value === undefined || value === null) continue;
    if (!Array.isArray(value)) return undefined;
    for (const community of value as unknown[]) {
      if (!Array.isArray(community) || community.length < 2 || community.length > 3) return undefined;
      if (!community.every((part) => Number.isInteger(part) && part >= 0 && part <= 4_294_967_295)) return undefined;
      lists.push(`[${community.join(",")}]`);
    }
  }
  return `[${lists.join(",")}]`;
}
