import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { loadavg } from "node:os";
import { join } from "node:path";
import { recordedDrills } from "../documents/drills.ts";
import { drillsFile, latestDrills, readDrills } from "../harness/figures/drills.ts";
import { type MeasuredFigure, measurementOf, writeFigureRecord } from "../harness/figures/figure-records.ts";
import { recordFirstUse } from "../harness/figures/first-use.ts";
import { type Figures, figuresFolder } from "../harness/figures/figures.ts";
import { repository } from "../harness/repository.ts";
import { type SuiteResult, totals } from "./results.ts";
import { incompleteness } from "./selection/records.ts";

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
  /** Load average of one minute before the run. */
  readonly load: number;
}

/** Begins to measure a run. @returns a function for its end */
export function measureRun(): () => Conditions {
  const started = performance.now();
  const [load = 0] = loadavg();
  return () => ({ seconds: (performance.now() - started) / 1000, load });
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

/** Stores what named suites counted, without failures, for docs/reference/figures.md. */
export function recordCounts(
  results: readonly SuiteResult[],
  figures: readonly SuiteFigures[],
  load: number,
  root: string = repository,
): void {
  if (totals(results).failed > 0 || figures.length === 0) return;
  const measurement = measurementOf(`npm test -- ${results.map(({ suite }) => suite).join(" ")} --record`, load);
  console.log(
    `recorded in ${writeFigureRecord({ name: "tests", figures: counts(figures), measurement, isWhole: false }, root)}`,
  );
}

interface Destination {
  /** Folder of the repository. */
  readonly root: string;
  /** File of the drills. */
  readonly drills: string;
}

/** Stores the duration of a whole command. A run that skipped a test for want of root, Docker or a program has no duration. */
export function recordDuration(
  command: "tests" | "everything",
  results: readonly SuiteResult[],
  { seconds, load }: Conditions,
  root?: string,
): void {
  const reason = results.map((result) => incompleteness(result)).find((each) => each !== undefined);
  if (reason !== undefined) console.log(`no duration recorded: ${reason}`);
  else {
    const typed = command === "tests" ? "npm test -- --record" : ".ci/run --everything --record";
    console.log(`recorded in ${recordFirstUse({ [command]: seconds }, typed, load, root)}`);
  }
}

/** Stores the counts of a run without failures for docs/reference/figures.md, and the latest drills of this checkout. */
export async function recordFigures(
  results: readonly SuiteResult[],
  figures: readonly SuiteFigures[],
  { load }: Conditions,
  { root, drills: drillsOfPage }: Destination = { root: repository, drills: recordedDrills },
): Promise<void> {
  const { failed } = totals(results);
  if (failed > 0) {
    console.log(`no figures recorded: ${failed} tests failed, and a failed suite ends early`);
    return;
  }
  const measurement = measurementOf(".ci/run --everything --record", load);
  const written = writeFigureRecord({ name: "tests", figures: counts(figures), measurement, isWhole: false }, root);
  const drills = latestDrills(readDrills(drillsOfPage), readDrills(drillsFile));
  await writeFile(drillsOfPage, `${JSON.stringify(drills, null, 2)}\n`);
  console.log(`recorded in ${written} and drill-figures.json; npm run documents writes them to the pages`);
}
