import { RunError } from "@pulumi/pulumi";

/** One thing that is wrong with what was given. */
export interface SettingsProblem {
  /** The setting's name, as it was written. */
  readonly name: string;
  /** Where it was written: the stack's configuration, a line of the environment file, an argument. */
  readonly place: string;
  /** End of a sentence that begins with the name, e.g. `must be a whole number from 1 to 65535, not 0`. */
  readonly problem: string;
}

/** All that is wrong with the settings, at once. A RunError, so Pulumi prints the message without a stack trace. */
export class SettingsError extends RunError {
  readonly problems: readonly SettingsProblem[];

  constructor(problems: readonly SettingsProblem[]) {
    const lines = problems.map(({ name, place, problem }) => `  ${name} ${problem} (${place})`);
    super(`${problems.length === 1 ? "A setting is" : `${problems.length} settings are`} wrong:\n${lines.join("\n")}`);
    this.name = "SettingsError";
    this.problems = problems;
  }
}
