import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** Folder of the suites' figures; `npm test` prints those of its own run at its end. */
export const figuresFolder: string = resolve(import.meta.dirname, "../../../.routeql/figures");

/** Rows of a table; the first has the titles of the columns. */
export type FigureTable = readonly (readonly (number | string)[])[];

/** A suite's figures by name: `{ "faults injected": 21, "wrong answers": 0, "longest recovery": "12.4 s" }`. */
export type Figures = Readonly<Record<string, number | string | FigureTable>>;

/** Stores the figures of one suite and replaces those of an earlier run. */
export function keepFigures(suite: string, figures: Figures): void {
  mkdirSync(figuresFolder, { recursive: true });
  writeFileSync(join(figuresFolder, `${suite}.json`), `${JSON.stringify(figures, null, 2)}\n`);
}
