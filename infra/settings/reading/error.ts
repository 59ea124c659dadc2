import { RunError } from "@pulumi/pulumi";
import { nearest } from "@routeql/metadata/nearest";

export interface SettingsProblem {
  /** Name of the setting, as written by the user. */
  readonly name: string;
  /** Source of the value: the stack's configuration, a line of the environment file, an argument. */
  readonly place: string;
  /** End of a sentence that begins with the name, e.g. `must be a whole number from 1 to 65535, not 0`. After a colon lines of a list can follow. */
  readonly problem: string;
}

/** All problems of the settings together. A RunError, so Pulumi prints the message without a stack trace. */
export class SettingsError extends RunError {
  readonly problems: readonly SettingsProblem[];

  constructor(problems: readonly SettingsProblem[]) {
    const lines = problems.flatMap(({ name, place, problem }) => {
      const [first = "", ...list] = problem.split("\n");
      if (list.length === 0) return [`  ${name} ${first} (${place})`];
      return [`  ${name} ${first.replace(/:$/, "")} (${place}):`, ...list.map((line) => `    ${line}`)];
    });
    super(`${problems.length === 1 ? "A setting is" : `${problems.length} settings are`} wrong:\n${lines.join("\n")}`);
    this.name = "SettingsError";
    const { message } = this;
    // Pulumi puts the name of each property that waits for a wrong output before the message, again and again.
    Object.defineProperty(this, "message", { get: () => message, set() {} });
    this.problems = problems;
  }
}

/** The problem text for an unknown name, with a suggestion if a known name is similar. */
export function notASetting(written: string, known: readonly string[]): string {
  const guess = nearest(written, known);
  return `is not a setting${guess === undefined ? "" : `; is ${guess} meant?`}`;
}
