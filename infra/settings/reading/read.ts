/** Reads the settings from the stack's configuration, then from the environment file. The component adds defaults and secrets. */
import { relative, resolve } from "node:path";
import { readText, UnreadableText } from "@routeql/contract/written-text";
import { parseEnvironmentFile } from "./environment-file.ts";
import { notASetting, SettingsError, type SettingsProblem } from "./error.ts";
import { type GivenSettings, type SettingName, settingNames, settings } from "../list.ts";
import { parseValue } from "./parse.ts";
import { type CheckedSettings, checked } from "./problems.ts";

export interface SettingsSources {
  /** Name of the stack; some defaults depend on it. */
  readonly stack: string;
  /** The project's section of the stack's configuration, without the project's name in its keys. */
  readonly configuration: Readonly<Record<string, string>>;
  readonly environmentFile?: { readonly name: string; readonly content: string };
}

interface Given {
  readonly written: string;
  readonly place: string;
  readonly value: string;
}

const namesByEnvironment = new Map<string, SettingName>(settingNames.map((name) => [settings[name].environment, name]));

/** The variable of a setting whose own name was written as a variable: `NAMESPACE` is that of `namespace`, KUBERNETES_NAMESPACE. */
const meantBy = new Map(
  settingNames.map((name) => [name.replaceAll(/[A-Z]/g, "_$&").toUpperCase(), settings[name].environment] as const),
);

function unknownVariable(written: string): string {
  const meant = meantBy.get(written);
  return meant === undefined
    ? notASetting(written, [...namesByEnvironment.keys()])
    : `is not a setting; write ${meant}`;
}

function fromConfiguration(
  configuration: SettingsSources["configuration"],
  problems: SettingsProblem[],
): Map<SettingName, Given> {
  const given = new Map<SettingName, Given>();
  const place = "stack configuration";
  for (const [written, value] of Object.entries(configuration)) {
    const name = settingNames.find((candidate) => candidate === written);
    if (name === undefined) problems.push({ name: written, place, problem: notASetting(written, settingNames) });
    // For a key without a value plain `pulumi up` passes the word null.
    else if (value !== "" && value !== "null") given.set(name, { written, place, value });
  }
  return given;
}

function fromFile(file: SettingsSources["environmentFile"], problems: SettingsProblem[]): Map<SettingName, Given> {
  const given = new Map<SettingName, Given>();
  if (file === undefined) return given;
  const { entries, badLines } = parseEnvironmentFile(file.content);
  for (const { line, problem } of badLines) problems.push({ name: `line ${line}`, place: file.name, problem });
  const seen = new Set<string>();
  for (const { name: written, value, line } of entries) {
    const place = `${file.name}, line ${line}`;
    const name = namesByEnvironment.get(written);
    if (name === undefined) problems.push({ name: written, place, problem: unknownVariable(written) });
    else if (seen.has(written)) problems.push({ name: written, place, problem: "is set twice" });
    else if (value !== "") given.set(name, { written, place, value });
    seen.add(written);
  }
  return given;
}

/** Reads and checks all given settings; an empty value is not given. @throws {SettingsError} with every problem, also of overridden values. */
export function readSettings({ stack, configuration, environmentFile }: SettingsSources): CheckedSettings {
  const problems: SettingsProblem[] = [];
  const values: Partial<Record<SettingName, string | number | boolean>> = {};
  const wrong = new Set<SettingName>();
  for (const source of [fromConfiguration(configuration, problems), fromFile(environmentFile, problems)]) {
    for (const [name, { written, place, value }] of source) {
      const parsed = parseValue(name, value);
      if ("problem" in parsed) {
        problems.push({ name: written, place, problem: parsed.problem });
        wrong.add(name);
      } else values[name] ??= parsed.value;
    }
  }
  const names = [...wrong].filter((name) => values[name] === undefined);
  return checked(values as GivenSettings, stack, { problems, names });
}

/** Configuration key that names another environment file; it is not allowed in that file itself. */
const environmentFileKey = "environmentFile";
/** Variable that names another environment file if the stack's configuration does not. */
const environmentFileVariable = "ROUTEQL_ENVIRONMENT_FILE";

export interface SettingsRequest {
  readonly stack: string;
  readonly project: string;
  /** The whole configuration from Pulumi, with namespaces in its keys. */
  readonly configuration: Readonly<Record<string, string>>;
  /** Absolute path of the folder that contains `.env.<stack>` or `.env`; relative paths start from it. */
  readonly folder: string;
  readonly variables?: Readonly<Record<string, string | undefined>>;
}

/** Collects the sources of settings: configuration and environment file. @throws {SettingsError} if a file cannot be read */
export function settingsSources({
  stack,
  project,
  configuration,
  folder,
  variables = process.env,
}: SettingsRequest): SettingsSources {
  const own = Object.entries(configuration)
    .filter(([key]) => key.startsWith(`${project}:`))
    .map(([key, value]) => [key.slice(project.length + 1), value] as const);
  const named =
    own.find(([key, value]) => key === environmentFileKey && value !== "")?.[1] ??
    (variables[environmentFileVariable] || undefined);
  return {
    stack,
    configuration: Object.fromEntries(own.filter(([key]) => key !== environmentFileKey)),
    environmentFile:
      named === undefined
        ? (readEnvironmentFile(folder, `.env.${stack}`, true) ?? readEnvironmentFile(folder, ".env", true))
        : readEnvironmentFile(folder, named, false),
  };
}

function readEnvironmentFile(folder: string, file: string, optional: boolean): SettingsSources["environmentFile"] {
  const path = resolve(folder, file);
  const name = relative(folder, path).startsWith("..") ? path : relative(folder, path);
  try {
    return { name, content: readText(path) };
  } catch (error) {
    if (error instanceof UnreadableText)
      throw new SettingsError([{ name: environmentFileKey, place: name, problem: error.message }]);
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" && optional) return undefined;
    throw new SettingsError([{ name: environmentFileKey, place: name, problem: `cannot be read (${code})` }]);
  }
}
