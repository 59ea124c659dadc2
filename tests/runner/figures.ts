import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { recordedDrills } from "../documents/drills.ts";
import type { FigureGroup } from "../documents/figures.ts";
import { drillsFile, readDrills } from "../harness/figures/drills.ts";
import { type Figures, figuresFolder } from "../harness/figures/figures.ts";
import { repository } from "../harness/repository.ts";
import type { SuiteResult } from "./results.ts";

export interface SuiteFigures {
  readonly suite: string;
  readonly figures: Figures;
}

/** Figures of this run: files written since `since` (milliseconds since 1970), by suite. */
export async function readFigures(since: number, folder: string = figuresFolder): Promise<SuiteFigures[]> {
  const names = (await readdir(folder).catch((): string[] => [])).filter((name) => name.endsWith(".json")).toSorted();
  const all = await Promise.all(
    names.map(async (name) => {
      const file = join(folder, name);
      if ((await stat(file)).mtimeMs < since) return [];
      return [{ suite: name.slice(0, -".json".length), figures: JSON.parse(await readFile(file, "utf8")) as Figures }];
    }),
  );
  return all.flat();
}

export interface Conditions {
  /** Wall-clock time of the whole run. */
  readonly seconds: number;
  readonly lanes: number;
  /** Load average of one minute before the run. */
  readonly load: number;
  /** Share of the processors' time that was not idle. */
  readonly busy: number;
}

/** The durations of a run by suite, for docs/reference/figures.md. */
export function durations(results: readonly SuiteResult[], { seconds, lanes, load, busy }: Conditions): FigureGroup {
  return {
    title: "Durations of the suites",
    source: `\`.ci/run --everything --record\`, ${lanes} suites at a time; load average before the run ${load.toFixed(2)}`,
    figures: [
      ...results.map(({ suite, seconds: taken }) => ({ what: suite, figure: `${taken.toFixed(0)} s` })),
      { what: "all", figure: `${(seconds / 60).toFixed(1)} min, processors ${(busy * 100).toFixed(0)} % busy` },
    ],
  };
}

/** Stores the durations for docs/reference/figures.md, and the drills of this run in place of earlier ones. */
export async function recordFigures(group: FigureGroup): Promise<void> {
  await writeFile(join(repository, "tests/documents/suite-figures.json"), `${JSON.stringify([group], null, 2)}\n`);
  const before = readDrills(recordedDrills);
  const drills = Object.fromEntries(
    Object.entries(readDrills(drillsFile)).map(([target, measured]) => [target, { ...before[target], ...measured }]),
  );
  await writeFile(recordedDrills, `${JSON.stringify({ ...before, ...drills }, null, 2)}\n`);
  console.log(
    "recorded in tests/documents/suite-figures.json and drill-figures.json; npm run documents writes them to the pages",
  );
}
