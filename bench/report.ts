import { mkdir, writeFile } from "node:fs/promises";
import { cpus, loadavg, totalmem } from "node:os";
import { join, relative, resolve } from "node:path";
import { type MeasuredFigure, measurementOf, writeFigureRecord } from "@routeql/tests/harness/figures/figure-records";
import type { Figure } from "./measure/statistics.ts";

const repository = resolve(import.meta.dirname, "..");

/** The machine of the measurements; its load shows whether other work disturbed them. */
export interface Machine {
  readonly at: string;
  readonly node: string;
  readonly processors: number;
  readonly memoryGigabytes: number;
  /** Load average of one minute at the start of the run. */
  readonly loadBefore: number;
  readonly quick: boolean;
}

export function machineNow(quick: boolean): Machine {
  return {
    at: new Date().toISOString(),
    node: process.version,
    processors: cpus().length,
    memoryGigabytes: Math.round(totalmem() / 1e9),
    loadBefore: Math.round((loadavg()[0] ?? 0) * 10) / 10,
    quick,
  };
}

/** Writes `bench/results/<name>.json` and returns its path below the repository. */
export async function writeResults(name: string, results: object): Promise<string> {
  const path = join(repository, "bench/results", `${name}.json`);
  await mkdir(join(repository, "bench/results"), { recursive: true });
  await writeFile(path, `${JSON.stringify(results, null, 2)}\n`);
  return relative(repository, path);
}

export interface RecordedRun {
  /** Such as `engine`, of `npm run bench:engine`. */
  readonly bench: string;
  readonly quick: boolean;
  readonly only: string;
  readonly against?: string | undefined;
  readonly loadBefore: number;
  /** Whether the figures are all of the record; default: without `--only`. */
  readonly isWhole?: boolean;
}

/** Writes figures for docs/reference/figures.md; a run with `--only` keeps the others. @param name of the record */
export function recordFigures(
  name: string,
  figures: Readonly<Record<string, MeasuredFigure>>,
  { bench, quick, only, against, loadBefore, isWhole = only === "" }: RecordedRun,
): void {
  const words = [
    ...(against === undefined ? [] : [`--against ${against}`]),
    ...(quick ? ["--quick"] : []),
    ...(only === "" ? [] : [`--only "${only}"`]),
    "--record",
  ];
  const measurement = measurementOf(`npm run bench:${bench} -- ${words.join(" ")}`, loadBefore);
  const path = writeFigureRecord({ name, figures, measurement, isWhole });
  console.log(`recorded in ${path}; npm run documents writes it to the page`);
}

export type Columns<Row> = Readonly<Record<string, (row: Row) => string>>;

/** Rows under the titles of their columns: the first two aligned left, the others, which are figures, aligned right. */
export function table<Row>(rows: readonly Row[], columns: Columns<Row>): string {
  const lines = [Object.keys(columns), ...rows.map((row) => Object.values(columns).map((cell) => cell(row)))];
  const widths = Object.keys(columns).map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  const pad = (cell: string, column: number): string =>
    column < 2 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!);
  return lines.map((line) => line.map(pad).join("  ").trimEnd()).join("\n");
}

/** A number with three significant digits and thousands separators. */
export function number(value: number): string {
  if (!Number.isFinite(value)) return "-";
  const decimals = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

/** The same for a page. */
export const spreadText = ({ median, least, most }: Figure): string =>
  `${number(median)} (${number(least)} to ${number(most)})`;

/** A median with the minimum and maximum of the rounds; `-` if rounds were too short for any answer. */
export function spread({ median, least, most }: Figure): string {
  return Number.isFinite(median) ? `${number(median)} (${number(least)}-${number(most)})` : "-";
}
