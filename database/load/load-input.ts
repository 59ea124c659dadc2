import type { Client } from "pg";
import type { Member } from "./members.ts";
import { BrokenInput, Refusal } from "./refusal.ts";
import { copyIntoStaging, prepareStaging, publishStaged, stagedRows } from "./staging.ts";
import { Tally } from "./tally.ts";

/** Limit of different months in one input, 30 years: each is a partition of the table. */
const MOST_MONTHS = 360;

export interface LoadReport {
  readonly tally: Tally;
  /** Rows that were new. */
  readonly loaded: number;
  /** Rows that already existed. */
  readonly duplicates: number;
  readonly seconds: number;
}

export interface LoadInputOptions {
  readonly tally?: Tally;
  /** Called after every batch. */
  readonly onProgress?: (tally: Tally, phase: "reading" | "writing") => void;
}

/**
 * Loads one input completely or not at all: rows go to a temporary staging table first, and from there in one transaction.
 * @throws BrokenInput for a broken input; then nothing was loaded.
 */
export async function loadInput(
  client: Client,
  members: AsyncIterable<Member>,
  options: LoadInputOptions = {},
): Promise<LoadReport> {
  const started = performance.now();
  const tally = options.tally ?? new Tally();
  const days = new Set<string>();
  let failure: unknown;
  async function* rows(): AsyncGenerator<string> {
    try {
      for await (const text of encode(members, tally, days)) {
        options.onProgress?.(tally, "reading");
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
  options.onProgress?.(tally, "writing");
  const loaded = await publishStaged(client, days);
  return { tally, loaded, duplicates: tally.rows - loaded, seconds: (performance.now() - started) / 1000 };
}

async function* encode(members: AsyncIterable<Member>, tally: Tally, days: Set<string>): AsyncGenerator<string> {
  const months = new Set<string>();
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
          const staged = stagedRows(parsed, ordinal, index);
          if (staged instanceof Refusal) {
            tally.refuse(staged, record, member.name);
            continue;
          }
          if (parsed.type === "A") tally.announcements += 1;
          else tally.withdrawals += 1;
          tally.rows += staged.count;
          days.add(parsed.timestamp.slice(0, 10));
          months.add(parsed.timestamp.slice(0, 7));
          text += staged.text;
        }
      }
      if (months.size > MOST_MONTHS) throw new BrokenInput(`its times lie in more than ${MOST_MONTHS} different months; split it`);
      yield text;
    }
    index += 1;
  }
}
