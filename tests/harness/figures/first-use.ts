/** Durations of a user's first commands, for README.md and the page of figures. */
import { type MeasuredFigure, measurementOf, writeFigureRecord } from "./figure-records.ts";

/** Names of the figures in tests/records/figures/first-use.json. */
export const firstUse = {
  first: "first `npm run up`",
  later: "later `npm run up`",
  tests: "`npm test`",
  everything: "`npm run test:all`",
} as const;

/** Such as `3 min 5 s`. */
export function inMinutes(seconds: number): string {
  const whole = Math.round(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** Stores durations in seconds; the others stay. @returns the path below the repository */
export function recordFirstUse(
  durations: Partial<Record<keyof typeof firstUse, number>>,
  command: string,
  load?: number,
  root?: string,
): string {
  const figures = Object.fromEntries(
    Object.entries(durations).map(([name, seconds]): [string, MeasuredFigure] => [
      firstUse[name as keyof typeof firstUse],
      { figure: inMinutes(seconds) },
    ]),
  );
  return writeFigureRecord(
    { name: "first-use", figures, measurement: measurementOf(command, load), isWhole: false },
    root,
  );
}

// .ci/fresh-machine passes the seconds of both starts and the load before.
if (import.meta.main) {
  const [first, later, load] = process.argv.slice(2).map(Number) as [number, number, number];
  console.log(`recorded in ${recordFirstUse({ first, later }, ".ci/run --first-run", load)}`);
}
