import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { recordedDrills } from "../documents/drills.ts";
import { drillsFile, latestDrills, readDrills } from "../harness/figures/drills.ts";
import { type MeasuredFigure, measurementOf, writeFigureRecord } from "../harness/figures/figure-records.ts";
import { type Figures, figuresFolder } from "../harness/figures/figures.ts";
import { repository } from "../harness/repository.ts";
import { type SuiteResult, totals } from "./results.ts";

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

const command = ".ci/run --everything --record";

/** The durations of a run by suite. */
function durations(
  results: readonly SuiteResult[],
  { seconds, lanes, busy }: Omit<Conditions, "load">,
): Readonly<Record<string, MeasuredFigure>> {
  return {
    ...Object.fromEntries(results.map(({ suite, seconds: taken }) => [suite, { figure: `${taken.toFixed(0)} s` }])),
    all: {
      figure: `${(seconds / 60).toFixed(1)} min`,
      note: `${lanes} suites at a time, processors ${(busy * 100).toFixed(0)} % busy`,
    },
  };
}

/** The figures that suites counted, without their tables. */
function counts(all: readonly SuiteFigures[]): Readonly<Record<string, MeasuredFigure>> {
  const texts = all.map(({ suite, figures }): [string, string] => [
    suite,
    Object.entries(figures)
      .filter(([, value]) => typeof value !== "object")
      .map(([what, value]) => `${what}: ${typeof value === "number" ? value.toLocaleString("en") : String(value)}`)
      .join("; "),
  ]);
  return Object.fromEntries(texts.filter(([, text]) => text !== "").map(([suite, figure]) => [suite, { figure }]));
}

interface Destination {
  /** Folder of the repository. */
  readonly root: string;
  /** File of the drills. */
  readonly drills: string;
}

/** Stores the durations and counts of a run without failures for docs/reference/figures.md, and the latest drills of this checkout. */
export async function recordFigures(
  results: readonly SuiteResult[],
  figures: readonly SuiteFigures[],
  { load, ...conditions }: Conditions,
  { root, drills: drillsOfPage }: Destination = { root: repository, drills: recordedDrills },
): Promise<void> {
  const { failed } = totals(results);
  if (failed > 0) {
    console.log(`no figures recorded: ${failed} tests failed, and a failed suite ends early`);
    return;
  }
  const measurement = measurementOf(command, load);
  const written = [
    writeFigureRecord({ name: "durations", figures: durations(results, conditions), measurement, isWhole: true }, root),
    writeFigureRecord({ name: "tests", figures: counts(figures), measurement, isWhole: false }, root),
  ];
  const drills = latestDrills(readDrills(drillsOfPage), readDrills(drillsFile));
  await writeFile(drillsOfPage, `${JSON.stringify(drills, null, 2)}\n`);
  console.log(`recorded in ${written.join(", ")} and drill-figures.json; npm run documents writes them to the pages`);
}
