import { isAbsolute } from "node:path";
import { output, unsecret } from "@pulumi/pulumi";
import { isPending } from "../../inputs.ts";
import { withDefaults } from "./complete.ts";
import { notASetting, SettingsError, type SettingsProblem } from "./error.ts";
import { argumentNames, grouped, type RouteQLArgs, groups, ungrouped, writtenArgument } from "../groups.ts";
import { type GivenInputs, type SecretSettingName, type SettingName, type Settings, settings } from "../list.ts";
import { checkValue } from "./parse.ts";
import { problemsOf } from "./problems.ts";
import type { Setting } from "../values/setting.ts";

const place = "argument";

/** The problem of one value; undefined also for a value that the program does not know yet. */
function valueProblem(name: SettingName, value: unknown): string | undefined {
  const { type, structural }: Setting = settings[name];
  if (value === undefined) return undefined;
  if (isPending(value))
    return structural === true
      ? "decides which resources exist, so it must be a value known before the deployment, not an output"
      : undefined;
  const expected = { flag: "boolean", number: "number", text: "string", file: "string", secret: "string" }[type];
  if (typeof value !== expected)
    return `must be a ${expected}, not ${typeof value === "object" ? "an object" : `a ${typeof value}`}`;
  if (type === "file" && !isAbsolute(value as string) && !isPem(value as string))
    return "must be an absolute path, or the text in PEM form";
  return checkValue(name, value as never);
}

/** Whether the value of a setting for a file is the content itself. */
export const isPem = (value: string): boolean => value.includes("-----BEGIN ");

const asArgument = ({ name, place, problem }: SettingsProblem): SettingsProblem => ({
  name: writtenArgument(name as SettingName),
  place,
  problem: problem.replaceAll(/\b[a-z]+[A-Z]\w*\b/g, (word) => (isSetting(word) ? writtenArgument(word) : word)),
});

const isSetting = (name: string): name is SettingName => Object.hasOwn(settings, name);

/** Why an argument is unknown: programs in languages without type checks, or with arguments of earlier versions. */
function unknownProblem(written: string): string {
  if (groups.some((group) => group === written)) return "must be an object with the arguments of the group";
  return isSetting(written) ? `is now ${writtenArgument(written)}` : notASetting(written, argumentNames);
}

export function argumentProblems(args: Readonly<Record<string, unknown>>, stack: string): SettingsProblem[] {
  const { given, unknown } = ungrouped(args);
  const unknownOnes = unknown.map((name) => ({ name, place, problem: unknownProblem(name) }));
  const wrong = Object.entries(given).flatMap(([name, value]): SettingsProblem[] => {
    const problem = valueProblem(name as SettingName, value);
    return problem === undefined ? [] : [{ name: writtenArgument(name as SettingName), place, problem }];
  });
  const problems = [...unknownOnes, ...wrong];
  return problems.length > 0 ? problems : problemsOf(given, stack).map(asArgument);
}

function refuse(args: RouteQLArgs, stack: string): void {
  const problems = argumentProblems({ ...args }, stack);
  if (problems.length > 0) throw new SettingsError(problems);
}

interface ComponentSettings {
  readonly settings: Settings;
  readonly given: GivenInputs;
}

/** The arguments with defaults, of a caller that has checked them. */
export function checkedSettingsOf(args: RouteQLArgs, stack: string): ComponentSettings {
  const { given } = ungrouped({ ...args });
  return { settings: withDefaults(given, stack), given };
}

/** The arguments with defaults. Known values are checked at once, outputs together once all are known. @throws {SettingsError} */
export function settingsOf(args: RouteQLArgs, stack: string): ComponentSettings {
  refuse(args, stack);
  const { given } = ungrouped({ ...args });
  const pending = Object.entries(given).filter(([, value]) => isPending(value));
  const checked = unsecret(
    output(Object.fromEntries(pending)).apply((known) => {
      refuse(grouped({ ...given, ...(known as GivenInputs) }), stack);
      return true;
    }),
  );
  const values = pending.map(([name, value]) => [name, output([checked, value]).apply(([, known]) => known)]);
  const all: GivenInputs = { ...given, ...Object.fromEntries(values) };
  return { settings: withDefaults(all, stack), given: all };
}

export type GivenSecrets = Pick<GivenInputs, SecretSettingName>;
