import { CommandError, type OpMap, type OutputMap, type Stack } from "@pulumi/pulumi/automation/index.js";
import { program } from "@routeql/infra/program";
import { stackWarnings } from "@routeql/infra/settings/stack-warnings";
import { Failure } from "@routeql/host/failure";
import type { Cluster } from "@routeql/host/kubernetes/cluster";
import { projectName, type StackPaths } from "@routeql/host/paths";
import { type Phase, type PhaseContext, type PhaseTime, type Plan, runPhases } from "../foundation/phases.ts";
import { claimInCluster, refuseForeignClaims } from "../kubernetes/ownership.ts";
import { engineAbilities, limitWarnings } from "../docker/engine-facts.ts";
import { lostKinds, removeLostObjects } from "../kubernetes/lost-objects.ts";
import { keepPlace, type Place } from "../kubernetes/place.ts";
import { reportWaiting, waitingReasons } from "../kubernetes/waiting.ts";
import { openPlace } from "../place/open-place.ts";
import { isNewPassword, modeWarnings, type StackAccess, writeAccess } from "./access.ts";
import { directoryPhase } from "./asked-directory.ts";
import { backupPhase } from "./backup-first.ts";
import { readConfiguration, targetOf } from "./configuration.ts";
import { currentProblems, untilHealthy } from "./health.ts";
import { describeReplacement, keepChoice } from "./image-choice.ts";
import { readOutputs } from "./outputs.ts";
import {
  basesPhase,
  choicePhase,
  cliPhase,
  clusterPhase,
  deliveryPhase,
  enginePhase,
  imagesPhase,
  networksPhase,
  ownerPhase,
  pluginsPhase,
  portsPhase,
  type Prepared,
} from "./phases.ts";
import { lostDataWarnings } from "./lost-data.ts";
import { describeEffects, type Step } from "./effects.ts";
import { describeChanges, Progress, reasonOf } from "./progress.ts";
import { claimStack } from "./ownership.ts";
import {
  clearInterrupted,
  type Deployment,
  failedJobs,
  releaseStaleLock,
  removeLeftovers,
  removeLostVolumes,
  storedDeployment,
} from "./recovery.ts";
import { type RunOptions, type Session, withSession } from "./session.ts";
import { offerMetrics } from "./scrape-configuration.ts";
import { openStack } from "./workspace.ts";

export interface UpOptions extends RunOptions {
  /** Takes over a stack of this name that belongs to another state, or that was on another Docker engine. */
  readonly adopt?: boolean;
  /** Continues with an LDAP directory that does not accept the settings. */
  readonly uncheckedDirectory?: boolean;
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
    const prepared: Prepared = { configuration: await readConfiguration(options.stack, options.settings) };
    const inFile = Object.keys(prepared.configuration!.entries).map((key) => key.slice(projectName.length + 1));
    const clear = inFile.filter((name) => !Object.hasOwn(options.settings ?? {}, name));
    let update: Update | undefined;
    let access: StackAccess | undefined;
    let certificate: readonly string[] = [];
    const stackPhase: Phase = {
      title: `Stack ${options.stack}`,
      work: async (context) => {
        const opened = await open(session, prepared);
        // Claimed before anything is created: a failed update leaves objects too.
        const { connection, place, permit } = prepared;
        if (connection && place) {
          await keepPlace(session.paths, place);
          await claimInCluster(connection.cluster, place, session.paths, permit!);
        } else await claimStack(options.stack, session.paths, permit!);
        try {
          update = await updateStack(opened, session.paths, context, prepared);
        } finally {
          await keepChoiceOf(options.stack, session.paths, prepared);
        }
        // The update may have created the namespace.
        if (connection && place) await claimInCluster(connection.cluster, place, session.paths, permit!);
        access = await writeAccess(options.stack, session.paths, readOutputs(plain(update.outputs), options.stack));
        context.show("waiting until every service is healthy");
        const { stack } = options;
        const at = await openPlace(stack);
        certificate = await untilHealthy(() => currentProblems(access!, stack, at, context.signal), context.signal);
        return describeChanges(update.changes);
      },
    };
    const backup = prepared.configuration!.plain.backupBeforeUpdate
      ? [backupPhase({ ...session, prepared, adopt: false, onLine: session.log.line })]
      : [];
    const times = await runPhases(
      [...preparation(session, prepared, true, options), ...backup, stackPhase],
      phaseOptions(session),
    );
    const { changes } = update!;
    const generated = prepared.configuration!.given.adminPassword === undefined;
    const replacement = prepared.choice && describeReplacement(prepared.choice);
    const metrics = await offerMetrics(options.stack, session.paths, prepared.configuration!.plain);
    const machine = [
      ...(await modeWarnings(session.paths.accessFile)),
      ...(prepared.place ? [] : limitWarnings(await engineAbilities())),
      ...(prepared.place ? [] : await lostDataWarnings(options.stack)),
    ];
    return {
      access: access!,
      times,
      changes,
      warnings: [
        ...(prepared.directoryWarnings ?? []),
        ...stackWarnings(prepared.configuration!.plain, options.stack, clear),
        ...certificate,
        ...machine,
      ],
      replacement,
      metrics,
      newPassword: generated && (await isNewPassword(session.paths, access!.adminPassword)),
    };
  });
}

/** A failed update may have created data volumes too; a run that created nothing stores nothing. */
async function keepChoiceOf(stack: string, paths: StackPaths, { choice }: Prepared): Promise<void> {
  if (choice === undefined) return;
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
    const prepared: Prepared = { configuration: await readConfiguration(options.stack, options.settings) };
    let result: Pick<PreviewResult, "steps" | "text" | "effects"> | undefined;
    const phase: Phase = {
      title: `Preview of stack ${options.stack}`,
      work: async ({ say, show, signal }) => {
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
        result = { text: stdout, steps: progress.steps, effects: describeEffects(progress.steps) };
        return describeChanges(changeSummary)
          .replaceAll(/(\d+) (\w+)/g, "$1 to be $2")
          .replace("to be unchanged", "unchanged");
      },
    };
    const times = await runPhases([...preparation(session, prepared, false, options), phase], phaseOptions(session));
    return { ...result!, times };
  });
}

const phaseOptions = ({ signal, show, log }: Session): Parameters<typeof runPhases>[1] => ({
  signal,
  log: show,
  record: log.line,
});

function preparation(
  session: Session,
  prepared: Prepared,
  withImages: boolean,
  { adopt = false, uncheckedDirectory = false, deliverImages: deliver }: UpOptions,
): Plan {
  const surroundings = { ...session, prepared, adopt, onLine: session.log.line };
  const { plain } = prepared.configuration!;
  const directory = plain.ldapUrl === undefined ? [] : [[directoryPhase(surroundings, uncheckedDirectory)]];
  if (targetOf(plain) === "kubernetes") {
    const needsDocker = plain.imageRegistry === undefined || plain.pushImages;
    const makesImages = withImages && plain.imageRegistry === undefined;
    const images = needsDocker ? [enginePhase, choicePhase, basesPhase, ...(makesImages ? [imagesPhase] : [])] : [];
    const prepare = [clusterPhase, ownerPhase, ...images].map((phase) => phase(surroundings));
    const delivery = makesImages ? [deliveryPhase(surroundings, deliver)] : [];
    return [[[cliPhase(surroundings)], [...prepare, ...delivery], ...directory], pluginsPhase(surroundings)];
  }
  const docker = [
    enginePhase,
    ownerPhase,
    choicePhase,
    ...(withImages ? [portsPhase] : []),
    networksPhase(withImages),
    basesPhase,
    ...(withImages ? [imagesPhase] : []),
  ].map((phase) => phase(surroundings));
  return [[[cliPhase(surroundings)], docker, ...directory], pluginsPhase(surroundings)];
}

function open({ stack, log }: Session, { cli, plugins, configuration, permit }: Prepared): Promise<Stack> {
  return openStack({
    stack,
    cli: cli!,
    plugins: plugins!,
    configuration: configuration!.entries,
    hostFolder: configuration!.plain.archiveDirectory,
    program: async () => ({ ...(await program({ stateIdentity: permit!.identity.state })) }),
    onLine: log.line,
  });
}

interface Update {
  readonly outputs: OutputMap;
  readonly changes: OpMap;
}

/** Repairs an interrupted run, refreshes the state and applies the stack's program. */
export async function updateStack(
  stack: Stack,
  paths: StackPaths,
  { say, show, signal }: PhaseContext,
  { connection, place, permit }: Pick<Prepared, "connection" | "place" | "permit"> = {},
): Promise<Update> {
  await releaseStaleLock(stack, paths, say, signal);
  const before = await storedDeployment(paths, stack.name);
  if (connection && place) await refuseForeignClaims(stack.name, connection.cluster, place, before);
  const owner = permit?.identity.state;
  const onCluster =
    connection && place && owner !== undefined
      ? (deployment: Deployment, when: keyof typeof lostKinds) =>
          removeLostObjects(connection.cluster, { place, owner, deployment }, lostKinds[when], signal)
      : undefined;
  const removeLost = (deployment: Deployment) =>
    onCluster ? onCluster(deployment, "before") : removeLeftovers(stack.name, deployment, owner);
  await clearInterrupted(stack, paths, removeLost, say, signal);
  const progress = new Progress(show);
  const ended = new AbortController();
  const reporting =
    connection && place ? whileWaiting(connection.cluster, place, progress, ended.signal) : Promise.resolve();
  try {
    const { outputs, summary } = await explained(progress, () =>
      stack.up({
        refresh: true,
        replace: failedJobs(before),
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
    else if (!connection) await removeLostVolumes(stack.name, after, owner);
    return { outputs, changes: summary.resourceChanges ?? {} };
  } finally {
    ended.abort();
    await reporting;
  }
}

/** Shows why pods are not ready. Clocks of a cluster may be behind by a minute. */
function whileWaiting(cluster: Cluster, place: Place, progress: Progress, signal: AbortSignal): Promise<void> {
  const since = Date.now() - 60_000;
  return reportWaiting((ends) => waitingReasons(cluster, place, since, ends), progress.waitsFor, signal);
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
