/**
 * Reads the settings from the stack's configuration, then from the environment file. The component adds defaults and generates secrets.
 * @module
 */
import { contradictions } from "./complete.ts";
import { SettingsError } from "./error.ts";
import type { SettingsProblem } from "./error.ts";
import { parseEnvironmentFile } from "./environment-file.ts";
import { settingNames, settings } from "./list.ts";
import type { GivenSettings, SettingName } from "./list.ts";
import { parseValue } from "./parse.ts";
import { notASetting } from "./nearest.ts";

export interface SettingsSources {
  /** Name of the stack; some defaults depend on it. */
  readonly stack: string;
  /** The project's section of the stack's configuration, without the project's name in its keys. */
  readonly configuration: Readonly<Record<string, string>>;
  /** The environment file, if there is one. */
  readonly environmentFile?: { readonly name: string; readonly content: string };
}

interface Given {
  readonly written: string;
  readonly place: string;
  readonly value: string;
}

const namesByEnvironment = new Map<string, SettingName>(settingNames.map((name) => [settings[name].environment, name]));

function fromConfiguration(
  configuration: SettingsSources["configuration"],
  problems: SettingsProblem[],
): Map<SettingName, Given> {
  const given = new Map<SettingName, Given>();
  const place = "stack configuration";
  for (const [written, value] of Object.entries(configuration)) {
    const name = settingNames.find((candidate) => candidate === written);
    if (name === undefined) problems.push({ name: written, place, problem: notASetting(written, settingNames) });
    else if (value !== "") given.set(name, { written, place, value });
  }
  return given;
}

function fromFile(file: SettingsSources["environmentFile"], problems: SettingsProblem[]): Map<SettingName, Given> {
  const given = new Map<SettingName, Given>();
  if (file === undefined) return given;
  const { entries, badLines } = parseEnvironmentFile(file.content);
  for (const line of badLines)
    problems.push({ name: `line ${line}`, place: file.name, problem: "is neither NAME=value nor a comment" });
  const seen = new Set<string>();
  for (const { name: written, value, line } of entries) {
    const place = `${file.name}, line ${line}`;
    const name = namesByEnvironment.get(written);
    if (name === undefined)
      problems.push({ name: written, place, problem: notASetting(written, [...namesByEnvironment.keys()]) });
    else if (seen.has(written)) problems.push({ name: written, place, problem: "is set twice" });
    else if (value !== "") given.set(name, { written, place, value });
    seen.add(written);
  }
  return given;
}

/** All secrets must differ; the auth sidecar has the same check for its own. */
function equalSecrets(given: GivenSettings): SettingsProblem[] {
  const names = settingNames.filter((name) => settings[name].type === "secret" && given[name] !== undefined);
  return names.flatMap((name, index) => {
    const same = names.slice(0, index).find((other) => given[other] === given[name]);
    const problem = `is the same as ${same}; each needs a value of its own`;
    return same === undefined ? [] : [{ name, place: "together with another setting", problem }];
  });
}

/**
 * Reads all given settings; an empty value counts as not given.
 * @throws {SettingsError} with every unknown name and every invalid value, even if another source overrides the value.
 */
export function readSettings({ stack, configuration, environmentFile }: SettingsSources): GivenSettings {
  const problems: SettingsProblem[] = [];
  const values: Partial<Record<SettingName, string | number | boolean>> = {};
  for (const source of [fromConfiguration(configuration, problems), fromFile(environmentFile, problems)]) {
    for (const [name, { written, place, value }] of source) {
      const parsed = parseValue(name, value);
      if ("problem" in parsed) problems.push({ name: written, place, problem: parsed.problem });
      else values[name] ??= parsed.value;
    }
  }
  const given = values as GivenSettings;
  problems.push(...contradictions(given, stack), ...equalSecrets(given));
  if (problems.length > 0) throw new SettingsError(problems);
  return given;
}
