import { join } from "node:path";
import { readText, UnreadableText } from "@routeql/contract/written-text";
import { YamlFile } from "@routeql/metadata/read/yaml";
import { SettingsError } from "@routeql/infra/settings/reading/error";
import { type GivenSettings, type PlainSettings, type SettingName, settings } from "@routeql/infra/settings/list";
import { type CheckedSettings, checked } from "@routeql/infra/settings/reading/problems";
import { readSettings, settingsSources } from "@routeql/infra/settings/reading/read";
import type { Target } from "../pulumi/plugins.ts";
import { Failure } from "@routeql/host/failure";
import { projectFolder, projectName } from "@routeql/host/paths";

/** Configuration of one stack, resolved before its program runs. */
export interface StackConfiguration extends CheckedSettings {
  readonly stack: string;
  /** Configuration of Pulumi's providers in Pulumi.<stack>.yaml, such as `kubernetes:context`. */
  readonly providers: Readonly<Record<string, string>>;
  /** Names of the settings in that file. */
  readonly inFile: readonly string[];
}

const ownPrefix = `${projectName}:`;

const remedy = "correct the file; Pulumi reads it too.";

/** The text of a file of the checkout; empty without the file. @throws Failure */
function textOf(folder: string, name: string): string {
  try {
    return readText(join(folder, name));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return "";
    const reason = error instanceof UnreadableText ? message : `is not readable: ${code ?? message}`;
    throw new Failure(`${name} ${reason}`, { remedy, cause: error });
  }
}

const isEncrypted = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  ("secure" in value || Object.values(value).some((inner) => isEncrypted(inner)));

const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether a number gets another text than the written one: `0123` is octal, and `1.10` loses its zero. */
const isChanged = (value: unknown, written: string | undefined): boolean =>
  typeof value === "number" && written !== undefined && written.replaceAll("_", "") !== String(value);

/** The configuration in the checkout's Pulumi.<stack>.yaml; empty without such a file. @throws Failure */
export function fromFile(stack: string, folder = projectFolder): Record<string, string> {
  const name = `Pulumi.${stack}.yaml`;
  // The types of plain texts in it are those of yaml.v3, which Pulumi uses.
  const file = new YamlFile(textOf(folder, name));
  const { value: content, problem } = file.read();
  if (problem !== undefined) {
    // A number may be a secret.
    const reason = problem.reason.replace(/^[-+.\w]*\d[-+.\w]* (?=has more digits|is no number)/, "a number ");
    throw new Failure(`${name}:${problem.line} is not readable: ${reason}`, { remedy });
  }
  const wrong = (path: readonly string[], reason: string, next: string): Failure =>
    new Failure(`${name}:${file.line(path) ?? 1}: ${path.at(-1) ?? "the file"} ${reason}`, { remedy: next });
  if (content !== null && !isMapping(content)) throw wrong([], "is no mapping", "write the settings below config:.");
  const config = content?.["config"] ?? {};
  if (!isMapping(config))
    throw wrong(["config"], "is no mapping", `write one line for each setting, such as ${ownPrefix}httpsPort: 8443.`);
  return Object.fromEntries(
    Object.entries(config).map(([key, value]) => {
      const path = ["config", key];
      if (!key.includes(":"))
        throw wrong(
          path,
          "has no namespace",
          `write ${Object.hasOwn(settings, key) ? ownPrefix : "<provider>:"}${key}.`,
        );
      // Without a value the setting is not given. Pulumi passes the word null.
      if (value === null) return [key, ""];
      // Without the value, which may be a secret.
      if (isChanged(value, file.plainText(path)))
        throw wrong(path, "is a number whose text YAML changes, such as 0123 or 1.10", "put the value into quotes.");
      if (isEncrypted(value))
        throw new Failure(`${name}: ${key} is encrypted, which this command cannot read`, {
          remedy: "move secrets to the environment file (.env), or use plain `pulumi up` for such a stack.",
        });
      // As Pulumi passes structured values to a program.
      return [key, typeof value === "string" ? value : JSON.stringify(value)];
    }),
  );
}

/** Reads and checks a stack's settings as its program does, before it runs. @param overrides by name @throws Failure with every problem */
export async function readConfiguration(
  stack: string,
  overrides: Readonly<Record<string, string>> = {},
): Promise<StackConfiguration> {
  const file = Object.entries(fromFile(stack));
  const isOwn = ([key]: readonly [string, string]): boolean => key.startsWith(ownPrefix);
  const given = Object.entries(overrides).map(([name, value]) => [`${ownPrefix}${name}`, value] as const);
  const configuration: Record<string, string> = Object.fromEntries([...file, ...given]);
  return {
    stack,
    providers: Object.fromEntries(file.filter((entry) => !isOwn(entry))),
    inFile: file.filter(isOwn).map(([key]) => key.slice(ownPrefix.length)),
    ...explained(() =>
      readSettings(settingsSources({ stack, project: projectName, configuration, folder: projectFolder })),
    ),
  };
}

/** A Failure in place of a SettingsError; other errors stay. */
export function asFailure(error: unknown): unknown {
  if (!(error instanceof SettingsError)) return error;
  return new Failure(error.message, {
    remedy: "correct the settings; docs/reference/settings.md describes each one.",
    cause: error,
  });
}

/** @throws Failure in place of a SettingsError */
function explained(read: () => CheckedSettings): CheckedSettings {
  try {
    return read();
  } catch (error) {
    throw asFailure(error);
  }
}

/** The configuration with valid values that the command chose. @throws Failure when they contradict the others */
export const withSettings = (configuration: StackConfiguration, values: GivenSettings): StackConfiguration => ({
  ...configuration,
  ...explained(() => checked({ ...configuration.given, ...values }, configuration.stack)),
});

/** The target of the stack; the setting's check allows no other values. */
export const targetOf = ({ target }: Pick<PlainSettings, "target">): Target =>
  target === "kubernetes" ? target : "docker";

export const isSecretSetting = (name: string): boolean =>
  Object.hasOwn(settings, name) && settings[name as SettingName].type === "secret";
