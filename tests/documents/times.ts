/** The sentence of README.md with the durations of the first commands, from their record. */
import { readFigureRecord } from "../harness/figures/figure-records.ts";
import { firstUse } from "../harness/figures/first-use.ts";

const figures = "docs/reference/figures.md";

export function timesOfFirstUse(record = readFigureRecord("first-use")): string {
  const words = [
    ["the first `npm run up`", firstUse.first],
    ["a later one", firstUse.later],
    ["`npm test`", firstUse.tests],
  ] as const;
  const measured = words.flatMap(([what, name]) => (record[name] === undefined ? [] : [{ what, ...record[name] }]));
  const [first] = measured;
  if (first === undefined) return `[Figures](${figures})`;
  const took = measured.map(({ what, figure }) => `${what} took ${figure}`);
  const list = took.length === 1 ? took[0]! : `${took.slice(0, -1).join(", ")} and ${took.at(-1)!}`;
  return `With ${first.machine}, ${list} (${first.date}). [More figures](${figures}#first-use)`;
}
