import { CommandError, type OpMap, type OutputMap, type Stack } from "@pulumi/pulumi/automation/index.js";
import { program } from "@routeql/infra/program";
import { stackWarnings } from "@routeql/infra/stack-warnings";
import { Failure } from "@routeql/host/failure";
import type { StackPaths } from "@routeql/host/paths";
import {
  type Phase,
  phase,
  type PhaseContext,
  type PhaseTime,
  type Plan,
  type Ready,
  runPhases,
} from "../foundation/phases.ts";
import type { RoleProblem } from "../database/role-logins.ts";
import { openPlace } from "../open-place.ts";
import type { PulumiCli } from "../pulumi/acquire.ts";
import type { PluginKind } from "../pulumi/plugins.ts";
import { isNewPassword, modeWarnings, type StackAccess, writeAccess } from "../access/access.ts";
import { directoryPhase } from "../configuration/directory-phase.ts";
import { backupPhase } from "./backup-first.ts";
import { readConfiguration, type StackConfiguration, targetOf } from "../configuration/configuration.ts";
import { currentProblems, untilHealthy } from "./health.ts";
import { readOutputs } from "../pulumi/outputs.ts";
import { ownMigrationsPhase } from "./own-migrations-phase.ts";
import { cliPhase, loginsPhase, pluginsPhase } from "./phases.ts";
import { prepare } from "./places/open.ts";
import type { Preparation, PreparationOptions, UpdatePlace } from "./places/place.ts";
import { describeEffects, type Step } from "./effects.ts";
import { describeChanges, Progress, reasonOf } from "./progress.ts";
import { claimStack } from "../ownership/ownership.ts";
import {
  clearInterrupted,
  failedJobs,
  futureCertificates,
  migrateJobs,
  releaseStaleLock,
  storedDeployment,
} from "../pulumi/recovery.ts";
import { type RunOptions, type Session, withSession } from "../pulumi/session.ts";
import { openStack } from "./workspace.ts";

export interface UpOptions extends RunOptions, PreparationOptions {
  /** Continues with an LDAP directory that does not accept the settings. */
  readonly uncheckedDirectory?: boolean;
  /** Settings that override the stack's configuration and the environment file, by name (`httpsPort`). */
  readonly settings?: Readonly<Record<string, string>>;
}

export interface UpResult {
  readonly access: StackAccess;
  readonly times: readonly PhaseTime[];
  readonly changes: OpMap;
  readonly warnings: readonly string[];
  /** The replacement for images that the settings name. */
  readonly replacement: string | undefined;
  /** Place of the metrics: a file, or the address of a page. */
  readonly metrics: string | undefined;
  /** The administrator's password was generated, and no run has shown it yet. */
  readonly newPassword: boolean;
  /** The run created the stack: neither an earlier run nor a restored state had objects. */
  readonly isNew: boolean;
}

/** Starts a stack or updates it, and repairs damage by a person or an interrupted run. */
export function bringUp(options: UpOptions): Promise<UpResult> {
  return withSession("up", options, async (session) => {
    const { stack, paths } = session;
    const given = await readConfiguration(stack, options.settings);
    const clear = given.inFile.filter((name) => !Object.hasOwn(options.settings ?? {}, name));
    const planned = plan(session, given, true, options);
    const { configuration, replacement, place } = planned;
    const logins = loginsPhase(session, session.log.line);
    const updating = updatePhase(session, planned, logins);
    const backup = given.plain.backupBeforeUpdate ? [backupPhase(session, configuration)] : [];
    const compared = ownMigrationsPhase(session, configuration);
    const times = await runPhases([...planned.phases, compared, logins, ...backup, updating], phaseOptions(session));
    const { changes, access, certificate, isNew } = updating.result;
    const { plain, given: own } = configuration.result;
    const machine = [...(await modeWarnings(paths.accessFile)), ...(await place().warnings())];
    return {
      access,
      times,
      changes,
      warnings: [...planned.directoryWarnings(), ...stackWarnings(plain, stack, clear), ...certificate, ...machine],
      replacement: replacement(),
      metrics: await place().metrics(plain),
      newPassword: own.adminPassword === undefined && (await isNewPassword(paths, access.adminPassword)),
      isNew,
    };
  });
}

interface Updated extends Update {
  readonly isNew: boolean;
  readonly access: StackAccess;
  /** Warnings about the endpoint. */
  readonly certificate: readonly string[];
}

function updatePhase(
  session: Session,
  planned: Planned,
  logins: Ready<readonly RoleProblem[]>,
): Phase & Ready<Updated> {
  const { stack, paths } = session;
  return phase(`Stack ${stack}`, async (context) => {
    const opened = await open(session, planned);
    const permit = planned.permit.result;
    const place = planned.place();
    const { resources = [] } = await storedDeployment(paths, stack);
    // Claimed before anything is created: a failed update leaves objects too.
    await place.remember();
    await claimStack(stack, paths, place.claims, permit);
    let update: Update;
    try {
      update = await updateStack(opened, paths, context, place, logins.result.length > 0);
    } finally {
      await planned.keepChoice();
    }
    // The update may have created the namespace of the claim.
    await claimStack(stack, paths, place.claims, permit);
    const access = await writeAccess(stack, paths, readOutputs(plain(update.outputs), stack));
    context.show("waiting until every service is healthy");
    const services = await openPlace(stack);
    const certificate = await untilHealthy(
      () => currentProblems(access, stack, services, context.signal),
      context.signal,
    );
    return [{ ...update, access, certificate, isNew: resources.length === 0 }, describeChanges(update.changes)];
  });
}

const plain = (outputs: OutputMap): Record<string, unknown> =>
  Object.fromEntries(Object.entries(outputs).map(([name, { value }]) => [name, value as unknown]));

export interface PreviewResult {
  readonly steps: readonly Step[];
  readonly text: string;
  readonly effects: readonly string[];
  readonly times: readonly PhaseTime[];
}

export function previewUp(options: UpOptions): Promise<PreviewResult> {
  return withSession("preview", options, async (session) => {
    const given = await readConfiguration(options.stack, options.settings);
    const planned = plan(session, given, false, options);
    const previewing = phase(`Preview of stack ${options.stack}`, async ({ say, show, signal }) => {
      const stack = await open(session, planned);
      await releaseStaleLock(stack, session.paths, say, signal);
      const before = await storedDeployment(session.paths, options.stack);
      const progress = new Progress(show);
      const { stdout, changeSummary } = await explained(progress, "The preview", () =>
        stack.preview({
          refresh: true,
          diff: true,
          suppressOutputs: true,
          color: "never",
          replace: futureCertificates(before, Date.now()),
          onEvent: progress.onEvent,
          signal,
        }),
      );
      const shown = describeChanges(changeSummary)
        .replaceAll(/(\d+) (\w+)/g, "$1 to be $2")
        .replace("to be unchanged", "unchanged");
      return [{ text: stdout, steps: progress.steps, effects: describeEffects(progress.steps) }, shown];
    });
    const { phases, requirements } = planned;
    const compared = ownMigrationsPhase(session, planned.configuration);
    const times = await runPhases([...phases, compared, ...requirements, previewing], phaseOptions(session));
    const lines = requirements.flatMap(({ result }) => result.map((missing) => `Cluster:  ${missing}`));
    return { ...previewing.result, effects: [...previewing.result.effects, ...lines], times };
  });
}

const phaseOptions = ({ signal, show, log }: Session): Parameters<typeof runPhases>[1] => ({
  signal,
  log: show,
  record: log.line,
});

/** The preparation at the stack's place, beside the CLI and the check of the directory. */
interface Planned extends Preparation {
  readonly phases: Plan;
  readonly cli: Ready<PulumiCli>;
  readonly plugins: Ready<PluginKind>;
  readonly directoryWarnings: () => readonly string[];
}

function plan(session: Session, given: StackConfiguration, withImages: boolean, options: UpOptions): Planned {
  const { line: onLine } = session.log;
  const cli = cliPhase(onLine);
  const plugins = pluginsPhase(session, cli, onLine, targetOf(given.plain));
  const preparation = prepare(session, given, withImages, options);
  const { uncheckedDirectory = false } = options;
  const directory = given.plain.ldapUrl === undefined ? [] : [directoryPhase(given, uncheckedDirectory)];
  return {
    ...preparation,
    phases: [[[cli], preparation.lane, ...directory.map((check) => [check])], plugins],
    cli,
    plugins,
    directoryWarnings: () => directory.flatMap(({ result }) => result),
  };
}

function open({ stack, log }: Session, { cli, plugins, configuration, permit }: Planned): Promise<Stack> {
  const { providers, ...settings } = configuration.result;
  return openStack({
    stack,
    cli: cli.result,
    plugins: plugins.result,
    configuration: providers,
    hostFolder: settings.plain.archiveDirectory,
    program: async () => ({ ...(await program({ settings, stateIdentity: permit.result.identity.state })) }),
    onLine: log.line,
  });
}

interface Update {
  readonly outputs: OutputMap;
  readonly changes: OpMap;
}

/** Repairs an interrupted run, refreshes the state and applies the stack's program. @param repairsRoles runs the job `migrate` again */
export async function updateStack(
  stack: Stack,
  paths: StackPaths,
  { say, show, signal }: PhaseContext,
  place: UpdatePlace,
  repairsRoles = false,
): Promise<Update> {
  await releaseStaleLock(stack, paths, say, signal);
  const before = await storedDeployment(paths, stack.name);
  await place.refuseForeignData(before);
  await clearInterrupted(stack, paths, (deployment) => place.removeInterrupted(deployment, signal), say, signal);
  const progress = new Progress(show);
  const ended = new AbortController();
  const reporting = place.reportWaiting(progress, ended.signal);
  try {
    const { outputs, summary } = await explained(progress, "The stack update", () =>
      stack.up({
        refresh: true,
        replace: [
          ...new Set([
            ...failedJobs(before),
            ...(repairsRoles ? migrateJobs(before) : []),
            ...futureCertificates(before, Date.now()),
          ]),
        ],
        color: "never",
        suppressProgress: true,
        // Omits the configuration from the summary, which would otherwise decrypt the secrets.
        showSecrets: false,
        onEvent: progress.onEvent,
        signal,
      }),
    );
    await place.removeLost(await storedDeployment(paths, stack.name), signal);
    return { outputs, changes: summary.resourceChanges ?? {} };
  } finally {
    ended.abort();
    await reporting;
  }
}

/** Runs an operation of Pulumi; Pulumi's diagnostics explain its failure. */
export async function explained<T>(
  progress: Pick<Progress, "errors">,
  what: "The preview" | "The stack update",
  operation: () => Promise<T>,
): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    if (!(error instanceof CommandError) || progress.errors.length === 0) throw error;
    const reason = reasonOf(progress.errors);
    const lines = [...new Set(progress.errors.flatMap((message) => message.split("\n")))];
    throw new Failure(`${what} failed${reason === undefined ? "" : `: ${reason}`}`, {
      lastLines: lines.length === 1 && lines[0] === reason ? [] : lines.slice(-40),
      remedy: `fix the cause and run this command again${what === "The preview" ? ". Nothing has changed." : ": it resumes."}`,
      cause: error,
    });
  }
}
