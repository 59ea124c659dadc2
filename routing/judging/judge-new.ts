import type { Client } from "pg";
import { type Episode, Episodes, halvesOf, supernetOf, type Time } from "./episodes.ts";
import { inOrder, Judge, judgedIdentity, type Mark, type Row } from "./judge.ts";
import { JudgedTimes, judgedTimes } from "./stored/judged-times.ts";
import { changeableRecords, knownRecords } from "./stored/known-records.ts";
import type { ActiveConfiguration } from "./stored/stored-configuration.ts";
import { openEpisodes, outdateRecords, type SavedCounts, saveEpisodes } from "./stored/stored-episodes.ts";
import { saveVisibility, visibilityOf } from "./stored/stored-visibility.ts";
import { differs, markColumns, rowColumns, rowOf, type StoredRow, updateRows } from "./stored/stored-rows.ts";

/** Results for rows that the caller inserts, already marked. */
export interface JudgedRows {
  readonly marks: readonly Mark[];
  /** Writes the records, after the rows: a person who changes a record waits for this step only. */
  readonly save: (now: Time) => Promise<SavedCounts>;
}

/**
 * Judges new rows as if they were judged with all stored ones in the order of their time. Rows newer than everything judged
 * continue the open records. Where a row comes late, the records of its time are computed again.
 *
 * @param rows within configured prefixes, not yet in routing.bgp_updates
 */
export async function judgeNew(client: Client, active: ActiveConfiguration, rows: readonly Row[]): Promise<JudgedRows> {
  if (rows.length === 0) return { marks: [], save: async () => ({ added: 0, updated: 0 }) };
  const sorted = rows.toSorted(inOrder);
  const times = new JudgedTimes(active.prefixes);
  const hijacked = new Set(
    sorted.filter((row) => row.type === "A" && judgedIdentity(active.prefixes, row.prefix, row.path) !== undefined),
  );
  const again = await rewound(client, times, sorted, hijacked);
  const marks: Mark[] = [];
  const changed: Episode[] = [];
  const outdated: string[] = [];
  const stored: Mark[] = [];
  const onward = sorted.filter(({ prefix }) => !again.prefixes.has(prefix));
  if (onward.length > 0) {
    const concerned = [...new Set(onward.flatMap((row) => times.concerned(row)))];
    const episodes = new Episodes();
    for (const episode of await openEpisodes(
      client,
      concerned.filter((prefix) => !again.prefixes.has(prefix)),
    ))
      episodes.restore(episode);
    const judge = new Judge(active.prefixes, { recomputed: new Map(), outdated: new Set() }, episodes);
    for (const row of onward) {
      const mark = judge.judge(row);
      if (mark !== undefined) marks.push(mark);
    }
    judge.settle();
    for (const episode of episodes.changed) changed.push(episode);
  }
  if (again.prefixes.size > 0) {
    const rewind = await judgeAgain(client, active, again, sorted, hijacked);
    // One by one: a call takes about 120,000 arguments, and a wide prefix can have more marks.
    for (const mark of rewind.marks) (rewind.fresh.has(mark.row) ? marks : stored).push(mark);
    for (const episode of rewind.changed) changed.push(episode);
    for (const key of rewind.outdated) outdated.push(key);
  }
  const visibility = await visibilityOf(client, active.minPeers, sorted);
  for (const row of sorted) {
    times.add(row);
    visibility.add(row);
  }
  return {
    marks,
    save: async (now) => {
      await outdateRecords(client, outdated);
      const saved = await saveEpisodes(client, changed, now);
      await updateRows(client, stored.filter(differs));
      await times.save(client);
      await saveVisibility(client, visibility);
      return saved;
    },
  };
}

const earliest = (times: Iterable<Time>): Time => [...times].reduce((one, other) => Math.min(one, other), Infinity);

/** Prefixes whose records are computed again, from a time. */
interface Rewound {
  readonly prefixes: ReadonlySet<string>;
  readonly from: Time;
}

/** Late rows need it if they are hijacks or meet a record. Records of neighbouring prefixes follow, since an update may end either. */
async function rewound(
  client: Client,
  times: JudgedTimes,
  rows: readonly Row[],
  hijacked: ReadonlySet<Row>,
): Promise<Rewound> {
  const newest = await judgedTimes(client, [...new Set(rows.flatMap((row) => times.concerned(row)))]);
  const late = new Map<string, Time>();
  const needed = new Set<string>();
  for (const row of rows)
    for (const prefix of times.concerned(row)) {
      if (row.time > (newest.get(prefix) ?? -1)) continue;
      late.set(prefix, Math.min(row.time, late.get(prefix) ?? row.time));
      if (hijacked.has(row) && prefix === row.prefix) needed.add(prefix);
    }
  if (late.size === 0) return { prefixes: needed, from: 0 };
  let from = earliest(late.values());
  for (const { prefix } of await changeableRecords(client, [...late.keys()], from)) needed.add(prefix);
  const withNew = new Set([...hijacked].map(({ prefix }) => prefix));
  from = earliest([...needed].map((prefix) => late.get(prefix) ?? from));
  for (let before = -1, start = Number.NaN; needed.size > 0 && (needed.size !== before || start !== from);) {
    before = needed.size;
    start = from;
    const around = new Set(
      [...needed].flatMap((prefix) => [
        prefix,
        ...halvesOf(prefix),
        ...[supernetOf(prefix)].filter((wider) => wider !== null),
      ]),
    );
    for (const { prefix, started } of await changeableRecords(client, [...around], from)) {
      needed.add(prefix);
      from = Math.min(from, started);
    }
    for (const prefix of around) if (withNew.has(prefix)) needed.add(prefix);
  }
  return { prefixes: needed, from };
}

async function judgeAgain(
  client: Client,
  active: ActiveConfiguration,
  { prefixes, from }: Rewound,
  rows: readonly Row[],
  hijacked: ReadonlySet<Row>,
): Promise<{
  readonly marks: Mark[];
  readonly fresh: ReadonlySet<Row>;
  readonly changed: readonly Episode[];
  readonly outdated: readonly string[];
}> {
  const own = [...prefixes];
  // Their benign announcements may withdraw a hijack of the prefix one bit shorter.
  const halves = new Set(own.flatMap(halvesOf).filter((half) => !prefixes.has(half)));
  const known = await knownRecords(client, active.prefixes, await changeableRecords(client, own, from));
  const { rows: found } = await client.query<StoredRow>(
    `select ${rowColumns("key")}, ${markColumns} from routing.bgp_updates
     where "timestamp" >= 'epoch'::timestamp + $1::bigint * interval '1 microsecond'
       and (prefix = any ($2::inet[]) or type = 'A' and prefix = any ($3::inet[]))`,
    [from, own, [...halves]],
  );
  const fresh = new Set(rows.filter(({ prefix }) => prefixes.has(prefix)));
  const isBenign = (row: Row): boolean =>
    row.type === "A" && !hijacked.has(row) && judgedIdentity(active.prefixes, row.prefix, row.path) === undefined;
  const onlyEnding = (row: Row): boolean => halves.has(row.prefix) && isBenign(row);
  const all = [...found.map(rowOf), ...rows].filter((row) => prefixes.has(row.prefix) || onlyEnding(row));
  const judge = new Judge(active.prefixes, known);
  const marks: Mark[] = [];
  for (const row of all.toSorted(inOrder)) {
    const mark = judge.judge(row);
    if (mark !== undefined && prefixes.has(row.prefix)) marks.push(mark);
  }
  judge.settle();
  return { marks, fresh, changed: judge.episodes.changed, outdated: [...known.outdated, ...judge.abandoned] };
}
