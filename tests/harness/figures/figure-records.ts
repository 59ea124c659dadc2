/** Measured figures for docs/reference/figures.md. Benchmarks and suites write them with `--record`; no suite depends on them. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { join } from "node:path";
import { repository } from "../repository.ts";

/** Below the repository. One file for each group of the page. */
export const figureRecordsFolder = "tests/records/figures";

export interface MeasuredFigure {
  /** The value with its unit and, of several rounds, its spread. */
  readonly figure: string;
  readonly note?: string | undefined;
}

/** How figures were measured. */
export interface Measurement {
  /** As a user types it. */
  readonly command: string;
  /** Of the measured tree; with `-dirty` if files differed from it. */
  readonly commit: string;
  /** Such as 2026-05-04. */
  readonly date: string;
  /** Such as `2 cores, 24 GiB`. */
  readonly machine: string;
  /** Load average of one minute before; absent if unknown. */
  readonly load?: number | undefined;
}

export type RecordedFigure = MeasuredFigure & Measurement;

/** Figures by what they measure, in the order of the page. */
export type FigureRecord = Readonly<Record<string, RecordedFigure>>;

const fileOf = (root: string, name: string): string => join(root, figureRecordsFolder, `${name}.json`);

/** @throws Error when the file is missing or no JSON */
export function readFigureRecord(name: string, root: string = repository): FigureRecord {
  return JSON.parse(readFileSync(fileOf(root, name), "utf8")) as FigureRecord;
}

export interface WrittenRecord {
  readonly name: string;
  readonly figures: Readonly<Record<string, MeasuredFigure>>;
  readonly measurement: Measurement;
  /** Whether the figures are all of the record; otherwise those that were not measured again stay. */
  readonly isWhole: boolean;
}

/** @returns the path below the repository */
export function writeFigureRecord(
  { name, figures, measurement, isWhole }: WrittenRecord,
  root: string = repository,
): string {
  const file = fileOf(root, name);
  mkdirSync(join(root, figureRecordsFolder), { recursive: true });
  const measured = Object.entries(figures).map(([what, figure]) => [what, { ...figure, ...measurement }]);
  const before = isWhole ? {} : readIfPresent(name, root);
  writeFileSync(file, `${JSON.stringify({ ...before, ...Object.fromEntries(measured) }, null, 2)}\n`);
  return `${figureRecordsFolder}/${name}.json`;
}

function readIfPresent(name: string, root: string): FigureRecord {
  try {
    return readFigureRecord(name, root);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return {};
    throw error;
  }
}

/** A measurement of now, by this command. */
export function measurementOf(command: string, load?: number): Measurement {
  const described = execFileSync("git", ["describe", "--always", "--dirty", "--abbrev=10", "--exclude=*"], {
    cwd: repository,
    encoding: "utf8",
  });
  return {
    command,
    commit: described.trim(),
    date: new Date().toISOString().slice(0, 10),
    machine: `${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    ...(load === undefined ? {} : { load: Math.round(load * 10) / 10 }),
  };
}
