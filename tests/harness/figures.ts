import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** Where suites leave their figures; `npm test` shows at its end those that its own run has written. */
export const figuresFolder: string = resolve(import.meta.dirname, "../../.routeql/figures");

/** What a suite counted, by what it is: `{ "faults injected": 21, "wrong answers": 0, "longest recovery": "12.4 s" }`. */
export type Figures = Readonly<Record<string, number | string>>;

/** Keeps the figures of one suite, in place of those of an earlier run. */
export function keepFigures(suite: string, figures: Figures): void {
  mkdirSync(figuresFolder, { recursive: true });
  writeFileSync(join(figuresFolder, `${suite}.json`), `${JSON.stringify(figures, null, 2)}\n`);
}
