import type { Client } from "pg";
import type { Mark, Row } from "../judge.ts";

/** The columns of a row of updates, named as `StoredRow`. */
export const rowColumns = (key: string): string => `${key}::text as key,
  (extract(epoch from "timestamp") * 1000000)::bigint::text as time, prefix::text as prefix, peer_asn::text as peer, type,
  array_to_string(as_path, ' ') as path, communities::text as communities`;

/** The columns that judging writes. */
export const markColumns = "hijack_key, handled, matched_prefix::text as matched";

export interface StoredRow {
  readonly key: string;
  readonly time: string;
  readonly prefix: string;
  readonly peer: string | null;
  readonly type: "A" | "W";
  readonly path: string;
  readonly communities: string;
  readonly hijack_key?: string[];
  readonly handled?: boolean;
  readonly matched?: string | null;
}

export const pathOf = (text: string): number[] => (text === "" ? [] : text.split(" ").map(Number));

export const rowOf = (stored: StoredRow): Row => ({
  key: stored.key,
  time: Number(stored.time),
  prefix: stored.prefix,
  peer: stored.peer === null ? null : Number(stored.peer),
  type: stored.type,
  path: pathOf(stored.path),
  communities: stored.communities,
  hijackKeys: stored.hijack_key ?? [],
  handled: stored.handled ?? false,
  matchedPrefix: stored.matched ?? null,
});

/** The keys that a row has then, sorted. */
const keysOf = ({ finished, episodes }: Mark): string[] =>
  [...new Set([...finished, ...episodes.map(({ key }) => key)])].toSorted();

/** Whether the stored row differs from its mark. */
export const differs = (mark: Mark): boolean => {
  const { row, matchedPrefix } = mark;
  const keys = keysOf(mark);
  return (
    !row.handled ||
    row.matchedPrefix !== matchedPrefix ||
    keys.length !== row.hijackKeys.length ||
    keys.some((key) => !row.hijackKeys.includes(key))
  );
};

/** A list of marks for `unnest`. */
export const markArrays = (marks: readonly Mark[]): unknown[] => [
  marks.map(({ row }) => row.time),
  marks.map(({ row }) => row.key),
  marks.map((mark) => `{${keysOf(mark).join(",")}}`),
  marks.map(({ matchedPrefix }) => matchedPrefix),
];

const atOnce = 5000;

/** Writes marks to stored rows. @returns the number of rows */
export async function updateRows(client: Client, marks: readonly Mark[]): Promise<number> {
  for (let from = 0; from < marks.length; from += atOnce)
    await client.query(
      `update routing.bgp_updates u set hijack_key = w.keys::text[], handled = true, matched_prefix = w.matched
       from unnest($1::bigint[], $2::uuid[], $3::text[], $4::inet[]) as w (time, key, keys, matched)
       where u."timestamp" = 'epoch'::timestamp + w.time * interval '1 microsecond' and u.key = w.key`,
      markArrays(marks.slice(from, from + atOnce)),
    );
  return marks.length;
}
