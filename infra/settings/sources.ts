import { readFileSync } from "node:fs";
import { relative, resolve } from "node:path";
import { SettingsError } from "./error.ts";
import type { SettingsSources } from "./read.ts";

/** Configuration key that names another environment file; it is not allowed in that file itself. */
const environmentFileKey = "environmentFile";
/** Variable that names another environment file if the stack's configuration does not. */
const environmentFileVariable = "ROUTEQL_ENVIRONMENT_FILE";

export interface Surroundings {
  readonly stack: string;
  readonly project: string;
  /** The whole configuration from Pulumi, with namespaces in its keys. */
  readonly configuration: Readonly<Record<string, string>>;
  /** Absolute path of the folder that contains `.env`; relative paths start from it. */
  readonly folder: string;
  readonly variables?: Readonly<Record<string, string | undefined>>;
}

/**
 * Collects the sources of settings: the project's section of the configuration, and the environment file, if there is one.
 * @throws {SettingsError} if a named environment file, or an existing `.env`, cannot be read.
 */
export function settingsSources({
  stack,
  project,
  configuration,
  folder,
  variables = process.env,
}: Surroundings): SettingsSources {
  const own = Object.entries(configuration)
    .filter(([key]) => key.startsWith(`${project}:`))
    .map(([key, value]) => [key.slice(project.length + 1), value] as const);
  const named =
    own.find(([key, value]) => key === environmentFileKey && value !== "")?.[1] ??
    (variables[environmentFileVariable] || undefined);
  return {
    stack,
    configuration: Object.fromEntries(own.filter(([key]) => key !== environmentFileKey)),
    environmentFile: readEnvironmentFile(folder, named),
  };
}

function readEnvironmentFile(folder: string, named: string | undefined): SettingsSources["environmentFile"] {
  const path = resolve(folder, named ?? ".env");
  const name = relative(folder, path).startsWith("..") ? path : relative(folder, path);
  try {
    return { name, content: readFileSync(path, "utf8") };
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" && named === undefined) return undefined;
    throw new SettingsError([{ name: environmentFileKey, place: name, problem: `cannot be read (${code})` }]);
  }
}
