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
import { clusterClaims } from "../kubernetes/claims.ts";
import { refuseForeignClaims } from "../kubernetes/data-claims.ts";
import { dockerClaims } from "../docker/claims.ts";
import { engineAbilities, limitWarnings } from "../docker/engine/engine-facts.ts";
import { lostKinds, removeLostObjects } from "../kubernetes/lost-objects.ts";
import { keepPlace } from "../kubernetes/place.ts";
import { reportWaiting, waitingReasons } from "../kubernetes/waiting.ts";
import type { RoleProblem } from "../database/role-logins.ts";
import { openPlace } from "../open-place.ts";
import type { PulumiCli } from "../pulumi/acquire.ts";
import type { PluginKind } from "../pulumi/plugins.ts";
import { isNewPassword, modeWarnings, type StackAccess, writeAccess } from "../access/access.ts";
import { directoryPhase } from "../configuration/asked-directory.ts";
import { backupPhase } from "./backup-first.ts";
import { readConfiguration, type StackConfiguration, targetOf } from "../configuration/configuration.ts";
import { currentProblems, untilHealthy } from "./health.ts";
import { describeReplacement, type ImageChoice, keepChoice } from "../configuration/image-choice.ts";
import { listPhase } from "./listed-images.ts";
import { readOutputs } from "../pulumi/outputs.ts";
import {
  basesPhase,
  choicePhase,
  type Chosen,
  cliPhase,
  clusterPhase,
  type ClusterStack,
  deliveryPhase,
  enginePhase,
  imagesPhase,
  loginsPhase,
  networksPhase,
  newPlace,
  lacksPhase,
  ownerPhase,
  pluginsPhase,
  portsPhase,
} from "./phases.ts";
import { lostDataWarnings } from "./lost-data.ts";
import { describeEffects, type Step } from "./effects.ts";
import { describeChanges, Progress, reasonOf } from "./progress.ts";
import { checkOwnership, type ClaimStore, claimStack, type Permit } from "../ownership/ownership.ts";
import {
  clearInterrupted,
  type Deployment,
  failedJobs,
  migrateJobs,
  releaseStaleLock,
  removeLeftovers,
  removeLostVolumes,
  storedDeployment,
} from "../pulumi/recovery.ts";
import { type RunOptions, type Session, withSession } from "../pulumi/session.ts";
import { offerMetrics } from "./scrape-configuration.ts";
import { openStack } from "./workspace.ts";

export interface UpOptions extends RunOptions {
  /** Takes over a stack of this name that belongs to another state, or that was on another Docker engine. */
  readonly adopt?: boolean;
  /** Continues with an LDAP directory that does not accept the settings. */
  readonly uncheckedDirectory?: boolean;
  /** Kubernetes: list of `npm run render`, whose images the stack must have. */
  readonly images?: string | undefined;
  /** Settings that override the stack's configuration and the environment file, by name (`httpsPort`). */
  readonly settings?: Readonly<Record<string, string>>;
  /** For Kubernetes without a registry: copies images from this machine's Docker engine to the cluster's nodes, under the same names. */
  readonly deliverImages?: (images: readonly string[]) => Promise<void>;
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
}

/** Starts a stack or updates it, and repairs damage by a person or an interrupted run. */
export function bringUp(options: UpOptions): Promise<UpResult> {
  return withSession("up", options, async (session) => {
    const { stack } = options;
    const given = await readConfiguration(stack, options.settings);
    const clear = given.inFile.filter((name) => !Object.hasOwn(options.settings ?? {}, name));
    const prepared = preparation(session, given, true, options);
    const { configuration, cluster, chosen, directory } = prepared;
    const logins = loginsPhase(session, session.log.line);
    const updating = updatePhase(session, prepared, logins);
    const backup = given.plain.backupBeforeUpdate ? [backupPhase(session, configuration)] : [];
    const times = await runPhases([...prepared.plan, logins, ...backup, updating], phaseOptions(session));
    const { changes, access, certificate } = updating.result;
    const { plain, given: own } = configuration.result;
    const machine = [
      ...(await modeWarnings(session.paths.accessFile)),
      ...(cluster === undefined ? [...limitWarnings(await engineAbilities()), ...(await lostDataWarnings(stack))] : []),
    ];
    return {
      access,
      times,
      changes,
      warnings: [...(directory?.result ?? []), ...stackWarnings(plain, stack, clear), ...certificate, ...machine],
      replacement: chosen && describeReplacement(chosen.result.choice),
      metrics: await offerMetrics(stack, session.paths, plain),
      newPassword: own.adminPassword === undefined && (await isNewPassword(session.paths, access.adminPassword)),
    };
  });
}

interface Updated extends Update {
  readonly access: StackAccess;
  /** Warnings about the endpoint. */
  readonly certificate: readonly string[];
}

function updatePhase(
  session: Session,
  prepared: Preparation,
  logins: Ready<readonly RoleProblem[]>,
): Phase & Ready<Updated> {
  const { stack, paths } = session;
  return phase(`Stack ${stack}`, async (context) => {
    const opened = await open(session, prepared);
    const { cluster, chosen } = prepared;
    const permit = prepared.permit.result;
    // Claimed before anything is created: a failed update leaves objects too.
    if (cluster !== undefined) await keepPlace(paths, cluster.result.place);
    await claimStack(stack, paths, prepared.claims(), permit);
    let update: Update;
    try {
      update = await updateStack(opened, paths, context, cluster?.result, permit, logins.result.length > 0);
    } finally {
      if (chosen !== undefined) await keepChoiceOf(stack, paths, chosen.result.choice);
    }
    // The update may have created the namespace of the claim.
    await claimStack(stack, paths, prepared.claims(), permit);
    const access = await writeAccess(stack, paths, readOutputs(plain(update.outputs), stack));
    context.show("waiting until every service is healthy");
    const place = await openPlace(stack);
    const certificate = await untilHealthy(() => currentProblems(access, stack, place, context.signal), context.signal);
    return [{ ...update, access, certificate }, describeChanges(update.changes)];
  });
}

/** A failed update may have created data volumes too; a run that created nothing stores nothing. */
async function keepChoiceOf(stack: string, paths: StackPaths, choice: ImageChoice): Promise<void> {
  const { resources = [] } = await storedDeployment(paths, stack);
  if (resources.some(({ type }) => /^(docker|kubernetes):/.test(type))) await keepChoice(paths, choice);
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
    const prepared = preparation(session, given, false, options);
    const previewing = phase(`Preview of stack ${options.stack}`, async ({ say, show, signal }) => {
      const stack = await open(session, prepared);
      await releaseStaleLock(stack, session.paths, say, signal);
      const progress = new Progress(show);
      const { stdout, changeSummary } = await explained(progress, () =>
        stack.preview({
          refresh: true,
          diff: true,
          suppressOutputs: true,
          color: "never",
          onEvent: progress.onEvent,
          signal,
        }),
      );
      const shown = describeChanges(changeSummary)
        .replaceAll(/(\d+) (\w+)/g, "$1 to be $2")
        .replace("to be unchanged", "unchanged");
      return [{ text: stdout, steps: progress.steps, effects: describeEffects(progress.steps) }, shown];
    });
    const { cluster } = prepared;
    const lacks = cluster && lacksPhase(cluster, given);
    const plan = [...prepared.plan, ...(lacks === undefined ? [] : [lacks]), previewing];
    const times = await runPhases(plan, phaseOptions(session));
    const lines = lacks?.result.map((lack) => `Cluster:  ${lack}`) ?? [];
    return { ...previewing.result, effects: [...previewing.result.effects, ...lines], times };
  });
}

const phaseOptions = ({ signal, show, log }: Session): Parameters<typeof runPhases>[1] => ({
  signal,
  log: show,
  record: log.line,
});

/** The phases before an update, and their results. */
interface Preparation {
  readonly plan: Plan;
  readonly cli: Ready<PulumiCli>;
  readonly plugins: Ready<PluginKind>;
  /** Where the stack's name is claimed; of a cluster once it is connected. */
  readonly claims: () => ClaimStore;
  readonly permit: Ready<Permit>;
  readonly configuration: Ready<StackConfiguration>;
  /** Absent on Docker. */
  readonly cluster?: Ready<ClusterStack>;
  /** Absent if this machine handles no image. */
  readonly chosen?: Ready<Chosen>;
  /** Warnings about the LDAP directory; absent without one. */
  readonly directory?: Ready<readonly string[]> | undefined;
}

function preparation(
  session: Session,
  given: StackConfiguration,
  withImages: boolean,
  options: UpOptions,
): Preparation {
  const { stack, log } = session;
  const { adopt = false, uncheckedDirectory = false } = options;
  const onLine = log.line;
  const cli = cliPhase(onLine);
  const plugins = pluginsPhase(session, cli, onLine, targetOf(given.plain));
  const engine = enginePhase(onLine, given);
  const chosen = choicePhase(session, given);
  const directory = given.plain.ldapUrl === undefined ? undefined : directoryPhase(given, uncheckedDirectory);
  const beside = directory === undefined ? [] : [[directory]];
  if (targetOf(given.plain) === "kubernetes") {
    const cluster = clusterPhase(stack, (server) => newPlace(stack, given, server));
    const claims = () => clusterClaims(cluster.result.connection.cluster, cluster.result.place);
    const permit = ownerPhase(session, () => checkOwnership(stack, claims(), adopt));
    const { imageRegistry, pushImages } = given.plain;
    if (imageRegistry !== undefined && !pushImages) {
      const list = options.images === undefined ? undefined : listPhase(() => given, options.images);
      const configuration = list ?? { result: given };
      const plan = [[[cli], [...(list ? [list] : []), cluster, permit], ...beside], plugins];
      return { plan, cli, plugins, claims, permit, configuration, cluster, directory };
    }
    const chosenNow = (): StackConfiguration => chosen.result.configuration;
    const list = options.images === undefined ? undefined : listPhase(chosenNow, options.images);
    const configuration = basesPhase(list ? () => list.result : chosenNow, onLine);
    const images =
      withImages && imageRegistry === undefined
        ? [imagesPhase(configuration, onLine), deliveryPhase(configuration, onLine, options.deliverImages)]
        : [];
    const lane = [cluster, permit, engine, chosen, ...(list ? [list] : []), configuration, ...images];
    const plan = [[[cli], lane, ...beside], plugins];
    return { plan, cli, plugins, claims, permit, configuration, cluster, chosen, directory };
  }
  if (options.images !== undefined)
    throw new Failure(`--images needs a stack on Kubernetes, and ${stack} runs on Docker`, {
      remedy: "omit --images.",
    });
  const claims = () => dockerClaims(stack);
  const permit = ownerPhase(session, () => checkOwnership(stack, claims(), adopt));
  const networks = networksPhase(session, chosen, withImages);
  const configuration = basesPhase(() => networks.result, onLine);
  const ports = withImages ? [portsPhase(stack, chosen)] : [];
  const images = withImages ? [imagesPhase(configuration, onLine)] : [];
  const lane = [engine, permit, chosen, ...ports, networks, configuration, ...images];
  return { plan: [[[cli], lane, ...beside], plugins], cli, plugins, claims, permit, configuration, chosen, directory };
}

function open({ stack, log }: Session, { cli, plugins, configuration, permit }: Preparation): Promise<Stack> {
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
  cluster?: ClusterStack,
  permit?: Permit,
  repairsRoles = false,
): Promise<Update> {
  await releaseStaleLock(stack, paths, say, signal);
  const before = await storedDeployment(paths, stack.name);
  if (cluster !== undefined) await refuseForeignClaims(stack.name, cluster, before);
  const owner = permit?.identity.state;
  const onCluster =
    cluster !== undefined && owner !== undefined
      ? (deployment: Deployment, when: keyof typeof lostKinds) =>
          removeLostObjects(
            cluster.connection.cluster,
            { place: cluster.place, owner, deployment },
            lostKinds[when],
            signal,
          )
      : undefined;
  const removeLost = (deployment: Deployment) =>
    onCluster ? onCluster(deployment, "before") : removeLeftovers(stack.name, deployment, owner);
  await clearInterrupted(stack, paths, removeLost, say, signal);
  const progress = new Progress(show);
  const ended = new AbortController();
  const reporting = cluster === undefined ? Promise.resolve() : whileWaiting(cluster, progress, ended.signal);
  try {
    const { outputs, summary } = await explained(progress, () =>
      stack.up({
        refresh: true,
        replace: [...new Set([...failedJobs(before), ...(repairsRoles ? migrateJobs(before) : [])])],
        color: "never",
        suppressProgress: true,
        // Omits the configuration from the summary, which would otherwise decrypt the secrets.
        showSecrets: false,
        onEvent: progress.onEvent,
        signal,
      }),
    );
    const after = await storedDeployment(paths, stack.name);
    if (onCluster) await onCluster(after, "after");
    else if (cluster === undefined) await removeLostVolumes(stack.name, after, owner);
    return { outputs, changes: summary.resourceChanges ?? {} };
  } finally {
    ended.abort();
    await reporting;
  }
}

/** Shows why pods are not ready. Clocks of a cluster may be behind by a minute. */
function whileWaiting({ connection, place }: ClusterStack, progress: Progress, signal: AbortSignal): Promise<void> {
  const since = Date.now() - 60_000;
  return reportWaiting((ends) => waitingReasons(connection.cluster, place, since, ends), progress.waitsFor, signal);
}

/** Runs an operation of Pulumi; Pulumi's diagnostics explain its failure. */
async function explained<T>(progress: Progress, operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    if (!(error instanceof CommandError) || progress.errors.length === 0) throw error;
    const reason = reasonOf(progress.errors);
    const lines = [...new Set(progress.errors.flatMap((message) => message.split("\n")))];
    throw new Failure(`The stack update failed${reason === undefined ? "" : `: ${reason}`}`, {
      lastLines: lines.length === 1 && lines[0] === reason ? [] : lines.slice(-40),
      remedy: "fix the cause and run this command again: it resumes.",
      cause: error,
    });
  }
}
