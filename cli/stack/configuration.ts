import { join } from "node:path";
import { readText, UnreadableText } from "@routeql/contract/written-text";
import { YamlFile } from "@routeql/metadata/read/yaml";
import { withDefaults } from "@routeql/infra/settings/reading/complete";
import { SettingsError } from "@routeql/infra/settings/reading/error";
import { type GivenSettings, type PlainSettings, type SettingName, settings } from "@routeql/infra/settings/list";
import { readSettings, settingsSources } from "@routeql/infra/settings/reading/read";
import type { Target } from "../pulumi/plugins.ts";
import { Failure } from "@routeql/host/failure";
import { projectFolder, projectName } from "@routeql/host/paths";

/** Configuration of one stack, resolved before its program runs. */
export interface StackConfiguration {
  /** The stack's configuration with the project's prefix: Pulumi.<stack>.yaml, overridden by the caller. */
  readonly entries: Readonly<Record<string, string>>;
  readonly given: GivenSettings;
  readonly plain: PlainSettings;
}

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

/** The configuration in the checkout's Pulumi.<stack>.yaml; empty without such a file. @throws Failure */
export function fromFile(stack: string, folder = projectFolder): Record<string, string> {
  const name = `Pulumi.${stack}.yaml`;
  // The types of plain texts in it are those of yaml.v3, which Pulumi uses.
  const { value: content, problem } = new YamlFile(textOf(folder, name)).read();
  if (problem !== undefined)
    throw new Failure(`${name}:${problem.line} is not readable: ${problem.reason}`, { remedy });
  const { config = {} } = (content ?? {}) as { config?: Record<string, unknown> | null };
  return Object.fromEntries(
    Object.entries(config ?? {}).map(([key, value]) => {
      if (typeof value !== "object" || value === null) return [key, String(value)];
      if (isEncrypted(value))
        throw new Failure(`${name}: ${key} is encrypted, which this command cannot read`, {
          remedy: "move secrets to the environment file (.env), or use plain `pulumi up` for such a stack.",
        });
      // As Pulumi passes structured values to a program.
      return [key, JSON.stringify(value)];
    }),
  );
}

/** Reads and checks a stack's settings as its program does, before it runs. @param overrides by name @throws Failure with every problem */
export async function readConfiguration(
  stack: string,
  overrides: Readonly<Record<string, string>> = {},
): Promise<StackConfiguration> {
  const entries = {
    ...fromFile(stack),
    ...Object.fromEntries(Object.entries(overrides).map(([name, value]) => [`${projectName}:${name}`, value])),
  };
  try {
    const given = readSettings(
      settingsSources({ stack, project: projectName, configuration: entries, folder: projectFolder }),
    );
    return { entries, given, plain: withDefaults(given, stack) };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    throw new Failure(error.message, {
      remedy: "correct the settings; docs/reference/settings.md describes each one.",
      cause: error,
    });
  }
}

/** The configuration with these values; the stack's program reads them from its entries. */
export function withSettings(
  { entries, given, plain }: StackConfiguration,
  values: Partial<GivenSettings & PlainSettings> & Readonly<Record<string, string>>,
): StackConfiguration {
  const named = Object.entries(values).map(([name, value]) => [`${projectName}:${name}`, value]);
  return {
    entries: { ...entries, ...(Object.fromEntries(named) as Record<string, string>) },
    given: { ...given, ...values },
    plain: { ...plain, ...values },
  };
}

/** The target of the stack; the setting's check allows no other values. */
export const targetOf = ({ target }: Pick<PlainSettings, "target">): Target =>
  target === "kubernetes" ? target : "docker";

export const isSecretSetting = (key: string): boolean => {
  const name = key.slice(projectName.length + 1);
  return Object.hasOwn(settings, name) && settings[name as SettingName].type === "secret";
};
