import type { Client } from "pg";
import { inTurn } from "@routeql/database-access/advisory-locks";
import { textBeside } from "@routeql/database-access/text-beside";
import type { Time } from "./episodes.ts";
import { Judge, type Mark } from "./judge.ts";
import { changeableRecords, knownRecords } from "./stored/known-records.ts";
import type { Configuration } from "./configuration/parsed-configuration.ts";
import {
  type ActiveConfiguration,
  activeConfiguration,
  type ConfiguredCounts,
  storeConfiguration,
  storedVersion,
} from "./stored/stored-configuration.ts";
import { outdateRecords, saveEpisodes } from "./stored/stored-episodes.ts";
import { differs, markColumns, rowColumns, rowOf, type StoredRow, updateRows } from "./stored/stored-rows.ts";
import { JudgedTimes } from "./stored/judged-times.ts";
import { newlyWatched, saveVisibility, settleVisibility } from "./stored/stored-visibility.ts";
import { sweep } from "./sweep.ts";

export interface DetectReport {
  readonly configured: ConfiguredCounts & { readonly total: number };
  /** Updates within a configured prefix. */
  readonly compared: number;
  readonly hijacks: {
    readonly added: number;
    readonly updated: number;
    readonly outdated: number;
    readonly found: number;
  };
  /** Updates that were newly marked or linked. */
  readonly marked: number;
}

export interface DetectOptions {
  /** Delete configured prefixes that the configuration does not list. */
  readonly replace?: boolean;
  /** Microseconds since 1970; the clock of dormant and ignored hijacks. */
  readonly now?: Time;
}

/** Stores the configuration and judges all updates, in one transaction. A second run on the same updates changes nothing. */
export async function detect(
  client: Client,
  configuration: Configuration,
  { replace = false, now = Date.now() * 1000 }: DetectOptions = {},
): Promise<DetectReport> {
  // Several sorts and hashes run in one statement, and a hash may use twice work_mem. The process has a memory limit.
  await client.query("set work_mem = '64MB'; set hash_mem_multiplier = 1");
  return inTurn(client, () => run(client, configuration, replace, now));
}

/** Makes a configuration the only one. Judges all updates if it is another one. @returns undefined if it is not */
export async function applyConfiguration(
  client: Client,
  configuration: Configuration,
): Promise<DetectReport | undefined> {
  return inTurn(client, async () => {
    const before = await activeConfiguration(client);
    const configured = await storeConfiguration(client, configuration, true);
    const active = await activeConfiguration(client);
    return active === undefined || active.version === before?.version
      ? undefined
      : judgeAll(client, configured, active, Date.now() * 1000);
  });
}

/** Compares a configuration with the only one of the database. @returns the version of the database's if both are equal */
export async function versionIfStored(client: Client, configuration: Configuration): Promise<string | undefined> {
  return inTurn(client, async () => {
    const before = await storedVersion(client);
    await client.query("savepoint compared");
    await storeConfiguration(client, configuration, true);
    const after = await storedVersion(client);
    await client.query("rollback to savepoint compared");
    return after === before ? before : undefined;
  });
}

/** Rows that the cursor returns at once. */
const page = 10_000;

async function run(client: Client, configuration: Configuration, replace: boolean, now: Time): Promise<DetectReport> {
  const configured = await storeConfiguration(client, configuration, replace);
  const active = await activeConfiguration(client);
  if (active === undefined) throw new Error("Postgres did not store the configuration.");
  return judgeAll(client, configured, active, now);
}

async function judgeAll(
  client: Client,
  configured: ConfiguredCounts,
  active: ActiveConfiguration,
  now: Time,
): Promise<DetectReport> {
  await settleVisibility(client);
  const visibility = await newlyWatched(client, active.minPeers);
  const known = await knownRecords(client, active.prefixes, await changeableRecords(client, undefined, 0));
  const judge = new Judge(active.prefixes, known);
  const times = new JudgedTimes(active.prefixes);
  await client.query(textBeside(import.meta.url, "match.sql"));
  await client.query(
    `declare judged_rows no scroll cursor for
     select ${rowColumns("key")}, ${markColumns} from matched_prefixes join routing.bgp_updates using (prefix)
     order by "timestamp", type, key`,
  );
  let compared = 0;
  let marked = 0;
  const linked: Mark[] = [];
  for (;;) {
    const { rows } = await client.query<StoredRow>(`fetch ${page} from judged_rows`);
    if (rows.length === 0) break;
    const changed: Mark[] = [];
    for (const stored of rows) {
      const row = rowOf(stored);
      visibility.add(row);
      const mark = judge.judge(row);
      if (mark === undefined) continue;
      compared += 1;
      times.add(mark.row);
      // The key of an episode may change until the end.
      if (mark.episodes.length > 0) linked.push(mark);
      else if (differs(mark)) changed.push(mark);
    }
    marked += await updateRows(client, changed);
  }
  judge.settle();
  await client.query("close judged_rows");
  const episodes = judge.episodes.changed;
  const outdated = await outdateRecords(client, [...known.outdated, ...judge.abandoned]);
  const saved = await saveEpisodes(client, episodes, now);
  marked += await updateRows(client, linked.filter(differs));
  await times.save(client);
  await saveVisibility(client, visibility);
  await sweep(client, active, now);
  if (saved.added > 0) await client.query("select routing.analyse_hijacks()");
  const total = await client.query<{ total: number }>(
    "select count(*)::integer as total from routing.configured_prefixes",
  );
  return {
    configured: { ...configured, total: total.rows[0]?.total ?? 0 },
    compared,
    hijacks: { ...saved, outdated, found: episodes.length },
    marked,
  };
}
