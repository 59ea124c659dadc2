import { type Input, Output, secret } from "@pulumi/pulumi";
import { contradictions } from "./complete.ts";
import { SettingsError, type SettingsProblem } from "./error.ts";
import { type SecretSettingName, settingNames, settings } from "./list.ts";
import { notASetting } from "./nearest.ts";
import { checkValue } from "./parse.ts";

function kindOf(value: unknown): string {
  // Values that are known only during the deployment cannot decide which resources exist.
  if (Output.isInstance(value) || value instanceof Promise) return "an Output or a promise; only secrets may be one";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

/** Problems of arguments that are not secret. Unknown names are possible in programs without type checks. */
export function argumentProblems(given: Readonly<Record<string, unknown>>, stack: string): SettingsProblem[] {
  const problems: SettingsProblem[] = [];
  const place = "argument";
  for (const [written, value] of Object.entries(given)) {
    const name = settingNames.find((candidate) => candidate === written);
    if (name === undefined) {
      problems.push({ name: written, place, problem: notASetting(written, settingNames) });
      continue;
    }
    if (value === undefined || settings[name].type === "secret") continue;
    const expected = { flag: "boolean", number: "number", text: "string", file: "string" }[settings[name].type];
    const problem =
      typeof value === expected ? checkValue(name, value as never) : `must be a ${expected}, not ${kindOf(value)}`;
    if (problem !== undefined) problems.push({ name, place, problem });
  }
  return problems.length > 0 ? problems : contradictions(given, stack);
}

export type GivenSecrets = { readonly [Name in SecretSettingName]?: Input<string> };

/** A given secret, validated as soon as its value is known. */
export function checked(name: SecretSettingName, given: Input<string>): Output<string> {
  return secret(given).apply((value) => {
    const problem = checkValue(name, value);
    if (problem !== undefined) throw new SettingsError([{ name, place: "argument", problem }]);
    return value;
  });
}
