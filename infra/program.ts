/** The Pulumi program: creates the component from settings that it reads under `pulumi up` (infra/index.ts), or that cli/ hands over in its process. */
import { resolve } from "node:path";
import { getProject, getStack, type Input, log, output, type Output, RunError, runtime, secret } from "@pulumi/pulumi";
import { RouteQL, type RouteQLOptions } from "./components/routeql.ts";
import { stateIdentityOfProgram } from "./components/state-identity.ts";
import { outputsBefore } from "./deployed-before.ts";
import { olderThanStack, type Release, release, renamedStack, unknownOrder } from "./release.ts";
import { type outputNames, outputsOf } from "./routeql/schema.ts";
import { isPem } from "./settings/reading/argument-problems.ts";
import { grouped, type RouteQLArgs } from "./settings/groups.ts";
import type { GivenSettings } from "./settings/list.ts";
import { settingNames, settings } from "./settings/list.ts";
import { type Generations, generationProblem, generationsOf } from "./settings/rotation.ts";
import { movesArchive } from "./targets/docker/archive-place.ts";
import { replacedDataVolume } from "./targets/docker/data-volume.ts";
import { daemonOfProvider } from "./targets/docker/provider-daemon.ts";
import { type OwnerCheck, ownerInCluster, ownerOnDocker } from "./targets/foreign-stack.ts";
import { autoscaledOf, namespaceOf } from "./targets/kubernetes/kubernetes-run.ts";
import { newestOwnMigration } from "./settings/values/own-metadata.ts";
import type { CheckedSettings } from "./settings/reading/problems.ts";
import { readSettings, settingsSources } from "./settings/reading/read.ts";
import { stackWarnings, unsavedDataWarning } from "./stack-warnings.ts";
import { serialized } from "./inputs.ts";

/** Outputs of a stack, those of the component among them; `pulumi stack output --show-secrets` prints them. */
export interface StackOutputs extends Omit<Pick<RouteQL, (typeof outputNames)[number]>, "consoleUrl"> {
  readonly release: Release;
  /** Generation of each secret that `npm run rotate` changes. */
  readonly generations: Generations;
  /** Label of every object of the stack. */
  readonly stateIdentity: Output<string>;
  /** Kubernetes: services with an autoscaler. */
  readonly autoscaled?: readonly string[];
  /** Only if the console is enabled. */
  readonly consoleUrl?: Output<string>;
}

const projectFolder = resolve(import.meta.dirname, "..");

/** Marks secrets as Pulumi secrets. Relative paths start from the project's folder, independent of the working directory. */
export function toArguments(given: GivenSettings): RouteQLArgs {
  const values: Record<string, unknown> = {};
  for (const name of settingNames) {
    const value = given[name];
    if (value === undefined) continue;
    const { type } = settings[name];
    if (type === "secret") values[name] = secret(value);
    else values[name] = type === "file" && !isPem(String(value)) ? resolve(projectFolder, String(value)) : value;
  }
  return grouped(values);
}

export interface ProgramOptions extends Pick<RouteQLOptions, "protectData"> {
  /** Of a caller that has read them. Default: read here, from the stack's configuration and the environment file. */
  readonly settings?: CheckedSettings;
  /** Of a caller that has checked it. Default: generated, kept in the state, and checked here before anything else is created. */
  readonly stateIdentity?: Input<string>;
}

const component = "routeql";

/** Unencrypted names in the project's configuration; none in `npm run up`, which checks the file. Empty values are no settings. */
function clearSettings(): readonly string[] {
  const encrypted = process.env["PULUMI_CONFIG_SECRET_KEYS"];
  if (encrypted === undefined) return [];
  const prefix = `${getProject()}:`;
  const secrets = JSON.parse(encrypted) as readonly string[];
  return Object.entries(runtime.allConfig())
    .filter(([key, value]) => key.startsWith(prefix) && value !== "" && !secrets.includes(key))
    .map(([key]) => key.slice(prefix.length));
}

/** The identity of this state. @param recorded output of the last update @throws {RunError} when another state owns the stack */
async function ownIdentity(recorded: unknown, protect: boolean, check: OwnerCheck): Promise<Output<string>> {
  const known = typeof recorded === "string" ? recorded : undefined;
  const refusal = await check(known);
  if (known !== undefined && refusal !== undefined) throw refusal;
  const identity = stateIdentityOfProgram(component, protect, refusal);
  // A failed first update recorded no outputs, but its state has the identity.
  if (refusal !== undefined) {
    const remaining = await check(String(await serialized(identity)));
    if (remaining !== undefined) throw remaining;
  }
  return identity;
}

const readOwnSettings = (): CheckedSettings =>
  readSettings(
    settingsSources({
      stack: getStack(),
      project: getProject(),
      configuration: runtime.allConfig(),
      folder: projectFolder,
    }),
  );

/** @throws {SettingsError} with all problems @throws {RunError} for a stack of another state or a newer version, before any change */
export async function program({
  protectData = false,
  stateIdentity,
  settings: handedOver,
}: ProgramOptions = {}): Promise<StackOutputs> {
  const { given, plain } = handedOver ?? readOwnSettings();
  for (const warning of stackWarnings(plain, getStack(), clearSettings())) await log.warn(warning);
  const { target, database, migrations } = plain;
  const before = await outputsBefore();
  for (const refused of [renamedStack, olderThanStack]) {
    const refusal = refused(getStack(), before["release"]);
    if (refusal !== undefined) throw new RunError(`${refusal.problem}. What to do: ${refusal.remedy}`);
  }
  for (const warning of unknownOrder(getStack(), before["release"])) await log.warn(warning);
  if (stateIdentity === undefined) {
    // An archive that cannot be examined may move.
    const moves = async (): Promise<boolean> => {
      const docker = daemonOfProvider();
      return docker === undefined || movesArchive(getStack(), plain, given.archiveKey, docker).catch(() => true);
    };
    for (const warning of await unsavedDataWarning(plain, getStack(), before, moves)) await log.warn(warning);
  }
  const wrongGeneration = generationProblem(plain, before["generations"]);
  if (wrongGeneration !== undefined) throw new RunError(wrongGeneration);
  const instance = `${component}-${getStack()}`;
  const owner =
    target === "docker"
      ? ownerOnDocker(getStack())
      : ownerInCluster(getStack(), { instance, namespace: namespaceOf(plain, instance) });
  const identity = stateIdentity ?? (await ownIdentity(before["stateIdentity"], protectData, owner));
  const dataVolume =
    target === "docker" && database === "single"
      ? await replacedDataVolume(instance, before["services"] !== undefined)
      : undefined;
  const deployed = new RouteQL(component, toArguments(given), {
    checked: true,
    protectData,
    stateIdentity: identity,
    dataVolume,
    autoscaledBefore: Array.isArray(before["autoscaled"]) ? before["autoscaled"].map(String) : [],
  });
  const { consoleUrl, ...outputs } = outputsOf(deployed);
  return {
    release: {
      ...release,
      stack: getStack(),
      ...(migrations === undefined ? {} : { ownMigration: newestOwnMigration(migrations) }),
    },
    generations: generationsOf(plain),
    stateIdentity: output(identity),
    ...(target === "kubernetes" ? { autoscaled: autoscaledOf(plain) } : {}),
    ...outputs,
    ...(consoleUrl === undefined ? {} : { consoleUrl }),
  };
}
