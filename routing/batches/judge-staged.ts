import type { Client } from "pg";
import { inFreeTurn } from "@routeql/database-access/advisory-locks";
import { judgeNew } from "../judging/judge-new.ts";
import {
  type ActiveConfiguration,
  activeConfiguration,
  storedVersion,
} from "../judging/stored/stored-configuration.ts";
import { markArrays, rowOf, type StoredRow } from "../judging/stored/stored-rows.ts";
import { sweep } from "../judging/sweep.ts";
import { selectStatement } from "./insert-statement.ts";

/** The configuration that a session has read. It reads it again when its version changes. */
interface Known {
  readonly active: ActiveConfiguration;
  /** Milliseconds since 1970. */
  sweptAt: number;
}

const knownBy = new WeakMap<Client, Known>();

/** Milliseconds between looks at silent hijacks. */
const betweenSweeps = 60_000;

/** Whether `detect` has stored a configuration. */
export async function isConfigured(client: Client): Promise<boolean> {
  return (await knownTo(client)) !== undefined;
}

async function knownTo(client: Client): Promise<Known | undefined> {
  const version = await storedVersion(client);
  const known = knownBy.get(client);
  if (version === known?.active.version) return known;
  const active = await activeConfiguration(client);
  if (active === undefined) return undefined;
  const read = { active, sweptAt: 0 };
  knownBy.set(client, read);
  return read;
}

/**
 * Judges the staged rows of a time that are new, and leaves their marks in staged_marks, for the insert. Inside the caller's turn.
 * @param compares as for the insert @returns undefined without a configuration; else writes the records, after the rows
 */
export async function judgeStaged(
  client: Client,
  { first, end, clock }: { readonly first: string; readonly end: string; readonly clock: number },
  compares: boolean,
): Promise<{ readonly marked: boolean; readonly save: () => Promise<void> } | undefined> {
  const known = await knownTo(client);
  if (known === undefined) return undefined;
  const { active } = known;
  const staged = await client.query<{ prefix: string }>(
    `select network(prefix)::inet::text as prefix from (
       select distinct prefix from staged_updates where "timestamp" >= $1 and "timestamp" < $2) staged`,
    [first, end],
  );
  const watched = [
    ...new Set(staged.rows.map(({ prefix }) => prefix).filter((prefix) => active.prefixes.find(prefix) !== undefined)),
  ];
  const rows =
    watched.length === 0 ? [] : (await client.query<StoredRow>(selectStatement(compares), [first, end, watched])).rows;
  const judged = await judgeNew(client, active, rows.map(rowOf));
  const marked = judged.marks.length > 0;
  if (marked) {
    await client.query(`create temporary table if not exists staged_marks (
      "timestamp" timestamp, key uuid, hijack_key text[] not null, matched_prefix inet not null, primary key ("timestamp", key));
      truncate staged_marks`);
    await client.query(
      `insert into staged_marks select 'epoch'::timestamp + time * interval '1 microsecond', key, keys::text[], matched
       from unnest($1::bigint[], $2::uuid[], $3::text[], $4::inet[]) as w (time, key, keys, matched)`,
      markArrays(judged.marks),
    );
    await client.query("analyze staged_marks");
  }
  return {
    marked,
    save: async () => {
      const { added } = await judged.save(clock * 1000);
      if (added > 0) await client.query("select routing.analyse_hijacks()");
      await sweepWhenDue(client, known, clock);
    },
  };
}

/** @param clock milliseconds of the updates' clock */
async function sweepWhenDue(client: Client, known: Known, clock: number): Promise<void> {
  if (clock - known.sweptAt < betweenSweeps) return;
  known.sweptAt = clock;
  await sweep(client, known.active, clock * 1000, Date.now() * 1000);
}

/** Sweeps where no rows arrive. A run that has the turn sweeps itself, and the next call tries again. */
export async function sweepInSilence(client: Client): Promise<void> {
  const clock = Date.now();
  if (!(await isConfigured(client)) || clock - knownBy.get(client)!.sweptAt < betweenSweeps) return;
  await inFreeTurn(client, async () => {
    const known = await knownTo(client);
    if (known !== undefined) await sweepWhenDue(client, known, clock);
  });
}
