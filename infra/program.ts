/**
 * The Pulumi program: reads the settings and creates the component. It runs through infra/index.ts under `pulumi up`, and through cli/
 * in its own process.
 * @module
 */
import { resolve } from "node:path";
import { getProject, getStack, runtime, secret } from "@pulumi/pulumi";
import type { Input, Output } from "@pulumi/pulumi";
import type { RouteQLArgs } from "./components/arguments.ts";
import { RouteQL } from "./components/routeql.ts";
import type { RouteQLOptions } from "./components/routeql.ts";
import { enforcePolicies } from "./policy/enforce.ts";
import type { AdvisoryLevel } from "./policy/rule.ts";
import { withDefaults } from "./settings/complete.ts";
import type { GivenSettings } from "./settings/list.ts";
import { settingNames, settings } from "./settings/list.ts";
import { refuseForeignStack } from "./targets/docker/foreign-stack.ts";
import { readSettings, settingsSources } from "./settings/read.ts";

/** Outputs of a stack; `pulumi stack output --show-secrets` prints them. */
export interface StackOutputs extends Pick<
  RouteQL,
  | "url"
  | "caCertificate"
  | "serviceApiKey"
  | "engineAccessKey"
  | "adminEmail"
  | "adminPassword"
  | "databasePasswords"
  | "database"
  | "services"
> {
  /** Only if the console is enabled. */
  readonly consoleUrl?: Output<string>;
}

const projectFolder = resolve(import.meta.dirname, "..");

/** Marks secrets as Pulumi secrets. Relative paths start from the project's folder, independent of the working directory. */
export function toArguments(given: GivenSettings): RouteQLArgs {
  const values: Record<string, Input<string | number | boolean>> = {};
  for (const name of settingNames) {
    const value = given[name];
    if (value === undefined) continue;
    const { type } = settings[name];
    if (type === "secret") values[name] = secret(value);
    else values[name] = type === "file" ? resolve(projectFolder, String(value)) : value;
  }
  return values;
}

export interface ProgramOptions extends Pick<RouteQLOptions, "protectData" | "stateIdentity"> {
  /** Whether the policies check every resource. */
  readonly policies?: boolean;
  /** Whether a stack of another state on the Docker engine stops the deployment. The commands check this themselves, before they build images. */
  readonly refusesForeign?: boolean;
}

/** @throws {SettingsError} with all problems of the settings */
export async function program({
  policies = false,
  refusesForeign = false,
  ...options
}: ProgramOptions = {}): Promise<StackOutputs> {
  const given = readSettings(
    settingsSources({
      stack: getStack(),
      project: getProject(),
      configuration: runtime.allConfig(),
      folder: projectFolder,
    }),
  );
  const { vulnerableImages, target } = withDefaults(given, getStack());
  if (policies) enforcePolicies(vulnerableImages as AdvisoryLevel);
  const checkState =
    refusesForeign && target === "docker"
      ? (identity: string | undefined) => refuseForeignStack(getStack(), identity)
      : undefined;
  const deployed = new RouteQL("routeql", toArguments(given), { ...options, checkState });
  return {
    url: deployed.url,
    ...(deployed.consoleUrl === undefined ? {} : { consoleUrl: deployed.consoleUrl }),
    caCertificate: deployed.caCertificate,
    serviceApiKey: deployed.serviceApiKey,
    engineAccessKey: deployed.engineAccessKey,
    adminEmail: deployed.adminEmail,
    adminPassword: deployed.adminPassword,
    databasePasswords: deployed.databasePasswords,
    database: deployed.database,
    services: deployed.services,
  };
}
