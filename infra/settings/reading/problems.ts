import { isPending } from "../../inputs.ts";
import {
  type GivenInputs,
  type GivenSettings,
  type PlainSettings,
  type SettingName,
  settingNames,
  settings,
} from "../list.ts";
import { contradictions, withDefaults } from "./complete.ts";
import { containerProblems } from "./container-problems.ts";
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
  ...containerProblems(given),
];

/** Settings without a problem: the stack's program does not check them again. */
export interface CheckedSettings {
  readonly given: GivenSettings;
  /** The same with defaults, and without secrets. */
  readonly plain: PlainSettings;
}

/** Problems of the settings that `given` lacks. */
interface Wrong {
  readonly problems: readonly SettingsProblem[];
  readonly names: readonly SettingName[];
}

/** @param given valid values @throws {SettingsError} with all problems */
export function checked(
  given: GivenSettings,
  stack: string,
  wrong: Wrong = { problems: [], names: [] },
): CheckedSettings {
  const plain = withDefaults(given, stack);
  // A wrong setting is neither missing, nor does it have its default.
  const isOfWrong = ({ name, problem }: SettingsProblem): boolean =>
    wrong.names.some((each) => each === name || new RegExp(`\\b${each}\\b`).test(problem));
  // A program of another team may publish its stack otherwise, so that the component does not require what these do.
  const together = [...problemsOf(given, stack), ...publicProblems(plain, stack)];
  const problems = [...wrong.problems, ...together.filter((problem) => !isOfWrong(problem))];
  if (problems.length > 0) throw new SettingsError(problems);
  return { given, plain };
}
