import type { InputRecord } from "./records.ts";
import { Refusal } from "./refusal.ts";

const EXAMPLES = 3;

/** A reason for which lines were rejected. */
export interface RefusalCount {
  readonly reason: string;
  count: number;
  /** The first few, as `<member:>line: text`. */
  readonly examples: string[];
}

/** Counts of one input. */
export class Tally {
  read = 0;
  announcements = 0;
  withdrawals = 0;
  /** Rows of the updates: one each, or one for each member of an AS set. */
  rows = 0;
  refused = 0;
  readonly skipped = new Map<string, number>();
  readonly refusals = new Map<string, RefusalCount>();
  readonly passedOver: { readonly name: string; readonly reason: string }[] = [];
  readonly formats = new Set<string>();

  skip(kind: string): void {
    this.skipped.set(kind, (this.skipped.get(kind) ?? 0) + 1);
  }

  refuse({ reason }: Refusal, record: InputRecord, member: string | null): void {
    this.refused += 1;
    let entry = this.refusals.get(reason);
    if (entry === undefined) {
      entry = { reason, count: 0, examples: [] };
      this.refusals.set(reason, entry);
    }
    entry.count += 1;
    if (entry.examples.length < EXAMPLES) {
      entry.examples.push(`${member === null ? "" : `${member}, `}${record.position}: ${printable(record.text())}`);
    }
  }
}

/** Text of an input, safe to print on a terminal. */
function printable(text: string): string {
  const clean = text.slice(0, 120).replaceAll(/[^\x20-\x7e]/g, "?");
  return text.length > 120 ? `${clean}…` : clean;
}
