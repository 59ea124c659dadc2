import { isAbsolute } from "node:path";
import { type Input, output, type Output, secret, unsecret } from "@pulumi/pulumi";
import { derive, isPending } from "../inputs.ts";
import { contradictions, withDefaults } from "./complete.ts";
import { SettingsError, type SettingsProblem } from "./error.ts";
import { type GivenInputs, type SecretSettingName, settingNames, type Settings, settings } from "./list.ts";
import { notASetting } from "./nearest.ts";
import { checkValue } from "./parse.ts";
import type { Setting } from "./setting.ts";

type Given = Readonly<Record<string, unknown>>;
const place = "argument";

/** The problem of one value; undefined also for a value that the program does not know yet. */
function problemOf(name: keyof typeof settings, value: unknown): string | undefined {
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

/** Problems of the known arguments. Unknown names are possible in programs without type checks. */
export function argumentProblems(given: Given, stack: string): SettingsProblem[] {
  const problems = Object.entries(given).flatMap(([written, value]): SettingsProblem[] => {
    const name = settingNames.find((candidate) => candidate === written);
    const problem = name === undefined ? notASetting(written, settingNames) : problemOf(name, value);
    return problem === undefined ? [] : [{ name: written, place, problem }];
  });
  return problems.length > 0 ? problems : contradictions(given, stack);
}

function refuse(given: Given, stack: string): void {
  const problems = argumentProblems(given, stack);
  if (problems.length > 0) throw new SettingsError(problems);
}

/**
 * The arguments with the stack's defaults. Known values are checked at once; outputs are checked together as soon as all of them are known,
 * and none has a value before.
 * @throws {SettingsError} with all problems of the known values
 */
export function settingsOf(given: GivenInputs, stack: string): Settings {
  refuse({ ...given }, stack);
  const pending = Object.entries(given).filter(
    ([name, value]) => settings[name as keyof typeof settings].type !== "secret" && isPending(value),
  );
  const checkedAll = unsecret(
    output(Object.fromEntries(pending)).apply((known) => {
      refuse({ ...given, ...(known as Given) }, stack);
      return true;
    }),
  );
  const values = pending.map(([name, value]) => [name, output([checkedAll, value]).apply(([, known]) => known)]);
  return withDefaults({ ...given, ...(Object.fromEntries(values) as GivenInputs) }, stack);
}

export type GivenSecrets = { readonly [Name in SecretSettingName]?: Input<string> };

/** A given secret, validated as soon as its value is known. */
export const checked = (name: SecretSettingName, given: Input<string>): Output<string> =>
  secret(
    derive(given, (value) => {
      const problem = checkValue(name, value);
      if (problem !== undefined) throw new SettingsError([{ name, place, problem }]);
      return value;
    }),
  );
