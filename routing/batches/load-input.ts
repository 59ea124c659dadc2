import { printable } from "@routeql/contract/printable";
import type { Client } from "pg";
import type { Member } from "../sources/members.ts";
import type { LoadStep } from "./progress.ts";
import { copyIntoStaging, prepareStaging, publishStaged, stagedRows } from "./publish.ts";
import type { InputRecord } from "../formats/records.ts";
import { Refusal } from "../formats/refusal.ts";

/** Each month of updates is a partition, and each partition costs every query without a time. */
export const defaultMaxAgeDays = 7300;

/** ISO 8601 times without zone, which compare as text. */
export interface TimeBounds {
  readonly oldest: string;
  readonly newest: string;
}

const tooOld = new Refusal("the time is older than --max-age-days");
const tooNew = new Refusal("the time is more than a day ahead");

/** @param maxAgeDays the greatest age of an update */
export function timeBounds(maxAgeDays: number, now = Date.now()): TimeBounds {
  const at = (days: number): string => new Date(now + days * 86_400_000).toISOString().slice(0, 19);
  return { oldest: at(-maxAgeDays), newest: at(1) };
}

export interface LoadReport {
  readonly tally: Tally;
  /** Rows that were new. */
  readonly loaded: number;
  readonly duplicates: number;
  readonly seconds: number;
}

export interface LoadInputOptions {
  readonly tally?: Tally;
  /** Called after every batch of lines, and while the rows are written. */
  readonly onProgress?: (step: LoadStep) => void;
  /** The share of the input that was read, 0 to 1; undefined if unknown. */
  readonly share?: () => number | undefined;
  /** Rows of one transaction. */
  readonly chunkRows?: number;
  /** Updates with other times are refused. */
  readonly bounds?: TimeBounds;
}

/** Loads one input through a staging table, in chunks by time. @throws BrokenInput for a broken input; then nothing was loaded. */
export async function loadInput(
  client: Client,
  members: AsyncIterable<Member>,
  options: LoadInputOptions = {},
): Promise<LoadReport> {
  const started = performance.now();
  const tally = options.tally ?? new Tally();
  const days = new Set<string>();
  const monitors = new Set<string>();
  let failure: unknown;
  async function* rows(): AsyncGenerator<string> {
    try {
      for await (const text of encode(members, tally, { days, monitors }, options.bounds)) {
        options.onProgress?.({ step: "reading", read: tally.read, refused: tally.refused, share: options.share?.() });
        if (text !== "") yield text;
      }
    } catch (error) {
      // COPY is ended cleanly, so that the connection can load the next input.
      failure = error;
    }
  }
  await prepareStaging(client);
  await copyIntoStaging(client, rows());
  if (failure !== undefined) throw failure;
  const { rows: staged } = tally;
  options.onProgress?.({ step: "sorting", rows: staged });
  const loaded = await publishStaged(
    client,
    { rows: staged, days, monitors: monitors.size > 0 },
    { chunkRows: options.chunkRows, onRows: (done) => options.onProgress?.({ step: "writing", rows: staged, done }) },
  );
  return { tally, loaded, duplicates: tally.rows - loaded, seconds: (performance.now() - started) / 1000 };
}

/** Summary of the rows for the steps after reading. */
interface Contents {
  readonly days: Set<string>;
  readonly monitors: Set<string>;
}

async function* encode(
  members: AsyncIterable<Member>,
  tally: Tally,
  { days, monitors }: Contents,
  bounds: TimeBounds = timeBounds(defaultMaxAgeDays),
): AsyncGenerator<string> {
  let index = 0;
  let ordinal = 0;
  for await (const member of members) {
    if (member.format !== null) tally.formats.add(member.format);
    for await (const batch of member.records) {
      let text = "";
      for (const record of batch) {
        tally.read += 1;
        const { parsed } = record;
        if ("skipped" in parsed) tally.skip(parsed.skipped);
        else if (parsed instanceof Refusal) tally.refuse(parsed, record, member.name);
        else {
          ordinal += 1;
          const { timestamp } = parsed;
          const staged =
            timestamp < bounds.oldest
              ? tooOld
              : timestamp > bounds.newest
                ? tooNew
                : stagedRows(parsed, ordinal, index);
          if (staged instanceof Refusal) {
            tally.refuse(staged, record, member.name);
            continue;
          }
          if (parsed.type === "A") tally.announcements += 1;
          else tally.withdrawals += 1;
          tally.rows += staged.count;
          if (parsed.monitor !== null) monitors.add(parsed.monitor);
          days.add(timestamp.slice(0, 10));
          tally.see(timestamp);
          text += staged.text;
        }
      }
      yield text;
    }
    index += 1;
  }
}

const EXAMPLES = 3;

export interface RefusalCount {
  readonly reason: string;
  count: number;
  /** The first few, as `<member:>line: text`. */
  readonly examples: string[];
}

export class Tally {
  read = 0;
  announcements = 0;
  withdrawals = 0;
  /** Rows of the updates: one each, or one for each member of an AS set. */
  rows = 0;
  refused = 0;
  /** Times of the updates. */
  span: TimeBounds | undefined;
  readonly skipped = new Map<string, number>();
  readonly refusals = new Map<string, RefusalCount>();
  readonly passedOver: { readonly name: string; readonly reason: string }[] = [];
  readonly formats = new Set<string>();

  skip(kind: string): void {
    this.skipped.set(kind, (this.skipped.get(kind) ?? 0) + 1);
  }

  see(timestamp: string): void {
    const { oldest = timestamp, newest = timestamp } = this.span ?? {};
    if (this.span === undefined || timestamp < oldest) this.span = { oldest: timestamp, newest };
    if (timestamp > newest) this.span = { oldest: this.span?.oldest ?? oldest, newest: timestamp };
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
      entry.examples.push(
        `${member === null ? "" : `${member}, `}${record.position}: ${printable(record.text(), 120)}`,
      );
    }
  }
}
