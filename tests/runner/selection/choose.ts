import type { Suite } from "../suites.ts";
import { hasRecord, type SuiteRecord } from "./records.ts";
import type { Objects } from "./tree.ts";

/** Whether a run of the changes has a suite, and why. */
export interface Choice {
  readonly suite: Suite;
  readonly runs: boolean;
  readonly reason: string;
  /** Duration of its last success in seconds. */
  readonly seconds?: number | undefined;
}

/** What the choice depends on. */
export interface State {
  /** Inputs of a suite in the working tree; undefined if git cannot read it. */
  readonly inputsOf: (suite: string) => Objects | undefined;
  readonly recordOf: (suite: string) => SuiteRecord | undefined;
  readonly now: Date;
}

/** Days after which a success no longer counts: the world outside of the inputs changes, too. */
const longest = 10;
const day = 24 * 60 * 60 * 1000;

/** Decides on each suite: those of `npm test` run, and every other one whose inputs differ from its record, or whose record is old. */
export const choose = (suites: readonly Suite[], state: State): readonly Choice[] =>
  suites.map((suite) => ({ suite, ...decide(suite, state), seconds: state.recordOf(suite.name)?.seconds }));

function decide(suite: Suite, { inputsOf, recordOf, now }: State): Pick<Choice, "runs" | "reason"> {
  if (suite.tier === "test") return { runs: true, reason: "belongs to npm test" };
  if (!hasRecord(suite)) return { runs: true, reason: "searches the other suites of this run" };
  const record = recordOf(suite.name);
  if (record === undefined) return { runs: true, reason: "has no record" };
  const inputs = inputsOf(suite.name);
  if (inputs === undefined) return { runs: true, reason: "git cannot read its inputs" };
  const date = record.date.slice(0, 10);
  const paths = [...new Set([...Object.keys(inputs), ...Object.keys(record.inputs)])];
  const changed = paths.filter((path) => inputs[path] !== record.inputs[path]).toSorted();
  if (changed.length > 0) return { runs: true, reason: `changed since ${date}: ${changed.join(", ")}` };
  const age = Math.abs(now.getTime() - Date.parse(record.date)) / day;
  if (age > longest) return { runs: true, reason: `its record of ${date} is older than ${longest} days` };
  return { runs: false, reason: `passed on ${date} with the same inputs` };
}

/** One line for each suite, and the expected duration of those that run for a change. */
export function inLines(choices: readonly Choice[], lanes: number): string {
  const lines = choices.map(
    ({ suite, runs, reason }) => `  ${suite.name.padEnd(14)}${runs ? "runs " : "stays"}  ${reason}`,
  );
  const seconds = choices.map((choice) => (choice.runs ? (choice.seconds ?? 0) : 0));
  const sum = seconds.reduce((total, each) => total + each, 0);
  // Lanes end together, except beside one long suite.
  const minutes = Math.max(sum / lanes, ...seconds) / 60;
  if (sum > 0) lines.push(`  beside npm test about ${minutes.toFixed(0)} min, by the records of the last successes`);
  return lines.join("\n");
}
