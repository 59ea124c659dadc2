import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { command } from "../commands.ts";
import { database } from "../stack/database.ts";
import { detectAll, isDetected } from "./detection.ts";
import { writeSmallWorld } from "./small-world.ts";

const shared = resolve(import.meta.dirname, "../../../../../shared/data");

/** The real data of SOURCES.md, outside the repository. */
export const realData = {
  bgp2016: join(shared, "bgp/updates.20160811.1600.bgpdump.gz"),
  bgp2026: join(shared, "bgp/telegram-20260616.ripestat.tar.gz"),
  timeline2026: join(shared, "hijacks/telegram-20260616.timeline.json"),
} as const;

/** Reason why the tests on real data cannot run; undefined if they can. */
export const realDataAbsent: string | undefined = Object.values(realData).every((path) => existsSync(path))
  ? undefined
  : "the real data of SOURCES.md is absent: it is expected in ../shared/data beside the repository";

export interface DataSet {
  readonly year: number;
  readonly file: string;
  /** First and last moment of its updates, inclusive, as `timestamp` prints. */
  readonly period: readonly [string, string];
  /** Records by type, from SOURCES.md. */
  readonly records: { readonly A: number; readonly W: number };
  /** Loads the data unless it is already loaded, and detects hijacks in it. */
  load(): Promise<void>;
}

export const dataSets: readonly DataSet[] = [
  dataSet({
    year: 2016,
    file: realData.bgp2016,
    period: ["2016-08-11T16:00:00", "2016-08-11T16:05:00"],
    records: { A: 39_256, W: 1956 },
  }),
  dataSet({
    year: 2026,
    file: realData.bgp2026,
    period: ["2026-06-16T07:00:00", "2026-06-17T06:00:00"],
    records: { A: 22_461, W: 827 },
  }),
];

function dataSet(facts: Omit<DataSet, "load">): DataSet {
  const load = async (): Promise<void> => {
    if ((await countBetween(...facts.period)) > 0 && (await isDetected())) return;
    await command("load", facts.file);
    await detectAll();
  };
  return { ...facts, load };
}

const demoUpdates = 12_000;

/** Generates enough updates to exceed every row limit, with hijacks among them. */
export async function loadDemo(): Promise<void> {
  if ((await countBetween("0001-01-01", "9999-12-31")) >= demoUpdates && (await isDetected())) return;
  await command("load", "--demo", String(demoUpdates));
  await writeSmallWorld();
}

async function countBetween(from: string, to: string): Promise<number> {
  const owner = await database("owner");
  const { rows } = await owner.query<{ count: string }>(
    'select count(*) from public.view_bgpupdates where "timestamp" between $1 and $2',
    [from, to],
  );
  return Number(rows[0]?.count);
}
