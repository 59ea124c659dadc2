import { contradictions } from "./complete.ts";
import type { SettingsProblem } from "./error.ts";
import { settingNames, settings } from "./list.ts";
import { checkValue } from "./parse.ts";

/** What is wrong with arguments that are not secret; a program that was not type-checked may also give unknown names. */
export function argumentProblems(given: Readonly<Record<string, unknown>>, stack: string): SettingsProblem[] {
  const problems: SettingsProblem[] = [];
  const place = "argument";
  for (const [written, value] of Object.entries(given)) {
    const name = settingNames.find((candidate) => candidate === written);
    if (name === undefined) {
      problems.push({ name: written, place, problem: "is not a setting" });
      continue;
    }
    if (value === undefined || settings[name].type === "secret") continue;
    const expected = { flag: "boolean", number: "number", text: "string", file: "string" }[settings[name].type];
    const problem = typeof value === expected ? checkValue(name, value as never) : `must be a ${expected}, not a ${typeof value}`;
    if (problem !== undefined) problems.push({ name, place, problem });
  }
  return problems.length > 0 ? problems : contradictions(given, stack);
}
