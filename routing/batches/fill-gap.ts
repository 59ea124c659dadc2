import type { Client } from "pg";
import type { TimeBounds } from "./load-input.ts";

/** Milliseconds that may lack at either end: the length of a file of RIPE RIS. */
const slack = 300_000;

interface Gap {
  readonly source: string;
  readonly started: string;
  readonly ended: string | null;
  readonly filled: boolean;
}

async function readGap(client: Client, gap: number): Promise<Gap | undefined> {
  const { rows } = await client.query<Gap>(
    `select source, to_char(time_started, 'YYYY-MM-DD"T"HH24:MI:SS') as started, to_char(time_ended, 'YYYY-MM-DD"T"HH24:MI:SS') as ended,
       time_filled is not null as filled from routing.feed_gaps where gap = $1`,
    [gap],
  );
  return rows[0];
}

/** Why files cannot fill this gap; undefined if they can. */
export async function gapProblem(client: Client, gap: number): Promise<string | undefined> {
  const found = await readGap(client, gap);
  if (found === undefined) return `there is no gap ${gap}; view_feed_gaps lists all`;
  if (found.filled) return `gap ${gap} is filled already`;
  return found.ended === null
    ? `gap ${gap} of ${found.source} still lasts; load its files when it has ended`
    : undefined;
}

/** Records that the loaded files fill a gap. @param span times of the updates in them @returns why they do not */
export async function fillGap(
  client: Client,
  gap: number,
  span: TimeBounds | undefined,
  rows: number,
): Promise<string | undefined> {
  const found = await readGap(client, gap);
  if (found === undefined || found.ended === null) return `gap ${gap} is not there any more`;
  const lacks =
    span === undefined
      ? "the files have no updates"
      : Date.parse(`${span.oldest}Z`) > Date.parse(`${found.started}Z`) + slack
        ? `the files begin at ${span.oldest}`
        : Date.parse(`${span.newest}Z`) < Date.parse(`${found.ended}Z`) - slack
          ? `the files end at ${span.newest}`
          : undefined;
  if (lacks !== undefined)
    return `gap ${gap} stays: it is from ${found.started} to ${found.ended}, and ${lacks}; load all of its files in one command`;
  await client.query(
    "update routing.feed_gaps set time_filled = now() at time zone 'UTC', rows_filled = $2 where gap = $1",
    [gap, rows],
  );
  return undefined;
}
