import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { FigureGroup } from "../../documents/figures.ts";

/** A step of the walk; the numbers are absent until it has succeeded. */
export interface Step {
  readonly name: string;
  readonly page: string;
  readonly seconds?: number;
  readonly sent?: number;
  readonly failed?: number;
  /** Longest time in seconds between two rounds of the client without a failure. */
  readonly gap?: number;
}

const file = resolve(import.meta.dirname, "../../documents/operate-figures.json");

/** Prints the steps, and with `ROUTEQL_RECORD_FIGURES=true` writes them for docs/reference/figures.md. */
export async function figuresOf(steps: readonly Step[]): Promise<void> {
  const figures = steps.map(({ name, page, seconds = 0, sent = 0, failed = 0, gap = 0 }) => ({
    what: `${page.replace(/^\w+\/(\w+)\.md$/, "$1")}: ${name.replaceAll("-", " ")}`,
    figure: `${(seconds / 60).toFixed(1)} min, ${failed} failed`,
    source: failed === 0 ? `${sent} requests` : `${sent} requests; at most ${gap.toFixed(1)} s without an answer`,
  }));
  for (const { what, figure, source } of figures) console.log(what.padEnd(44), figure.padEnd(22), source);
  if (process.env["ROUTEQL_RECORD_FIGURES"] !== "true") return;
  const group: FigureGroup = {
    title: "Operating a stack",
    source:
      "`npm run test:operate`, which executes the commands of the pages while a client sends a login and a query every 200 ms",
    figures,
  };
  await writeFile(file, `${JSON.stringify([group], null, 2)}\n`);
}
