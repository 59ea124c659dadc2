import { isPending } from "../../inputs.ts";
import { type GivenInputs, type GivenSettings, type PlainSettings, settingNames, settings } from "../list.ts";
import { contradictions, withDefaults } from "./complete.ts";
import { SettingsError, type SettingsProblem } from "./error.ts";
import { publicProblems } from "./public-problems.ts";

/** All secrets must differ; the auth sidecar has the same check for its own. */
function equalSecrets(given: GivenInputs): SettingsProblem[] {
  const names = settingNames.filter(
    (name) => settings[name].type === "secret" && given[name] !== undefined && !isPending(given[name]),
  );
  return names.flatMap((name, index) => {
    const same = names.slice(0, index).find((other) => given[other] === given[name]);
    const problem = `is the same as ${same}; each needs a value of its own`;
    return same === undefined ? [] : [{ name, place: "together with another setting", problem }];
  });
}

/** Problems of valid values together, for the files of a stack and for arguments of the component. Values that are not known yet have none. */
export const problemsOf = (given: GivenInputs, stack: string): SettingsProblem[] => [
  ...contradictions(given, stack),
  ...equalSecrets(given),
];

/** Settings without a problem: the stack's program does not check them again. */
export interface CheckedSettings {
  readonly given: GivenSettings;
  /** The same with defaults, and without secrets. */
  readonly plain: PlainSettings;
}

/** @param given valid values @param more problems of the others @throws {SettingsError} with all problems */
export function checked(given: GivenSettings, stack: string, more: readonly SettingsProblem[] = []): CheckedSettings {
  const plain = withDefaults(given, stack);
  // A program of another team may publish its stack otherwise, so that the component does not require what these do.
  const problems = [...more, ...problemsOf(given, stack), ...publicProblems(plain, stack)];
  if (problems.length > 0) throw new SettingsError(problems);
  return { given, plain };
}
