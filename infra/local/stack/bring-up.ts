import { CommandError, type OpMap, type OutputMap, type Stack } from "@pulumi/pulumi/automation/index.js";
import { enforcePolicies } from "../../policy/enforce.ts";
import { program } from "../../program.ts";
import { dockerClient } from "../docker/client.ts";
import { Failure } from "../foundation/failure.ts";
import type { StackPaths } from "../foundation/paths.ts";
import { type Phase, type PhaseContext, type PhaseTime, type Plan, runPhases } from "../foundation/phases.ts";
import { refuseForeignClaims } from "../kubernetes/data.ts";
import { keepPlace } from "../kubernetes/place.ts";
import { isNewPassword, type StackAccess, writeAccess } from "./access.ts";
import { readConfiguration, targetOf } from "./configuration.ts";
import { readOutputs } from "./outputs.ts";
import { basesPhase, choicePhase, cliPhase, clusterPhase, deliveryPhase, enginePhase, imagesPhase, pluginsPhase, portsPhase, type Prepared } from "./phases.ts";
import { describeChanges, Progress } from "./progress.ts";
import { clearInterrupted, type Deployment, deploymentOf, failedJobs, releaseStaleLock } from "./recovery.ts";
import { type RunOptions, type Session, withSession } from "./session.ts";
import { openStack } from "./workspace.ts";

export interface UpOptions extends RunOptions {
  /** Settings that outrank the stack's configuration and the environment file, by name (`httpsPort`). */
  readonly settings?: Readonly<Record<string, string>>;
  /** Kubernetes without a registry: copies images, by their names on this machine's Docker engine, to the cluster's nodes. */
  readonly deliverImages?: (images: readonly string[]) => Promise<void>;
}

export interface UpResult {
  readonly access: StackAccess;
  readonly times: readonly PhaseTime[];
  readonly changes: OpMap;
  /** The administrator's password was generated, and no run has shown it yet. */
  readonly newPassword: boolean;
}

/** Brings a stack up, or up to date; what a person or an interrupted run has broken is repaired. */
export function bringUp(options: UpOptions): Promise<UpResult> {
  return withSession("up", options, async (session) => {
    const prepared: Prepared = { configuration: await readConfiguration(options.stack, options.settings) };
    let update: Update | undefined;
    const stackPhase: Phase = {
      title: `Stack ${options.stack}`,
      work: async (context) => {
        const opened = await open(session, prepared);
        // Before anything is made: an update that fails leaves objects too.
        if (prepared.place) await keepPlace(session.paths, prepared.place);
        update = await updateStack(opened, session.paths, context, prepared);
        return describeChanges(update.changes);
      },
    };
    const times = await runPhases([...preparation(session, prepared, true, options.deliverImages), stackPhase], phaseOptions(session));
    const { outputs, changes } = update!;
    const access = await writeAccess(session.paths, readOutputs(plain(outputs), options.stack));
    const generated = prepared.configuration!.given.adminPassword === undefined;
    return { access, times, changes, newPassword: generated && (await isNewPassword(session.paths, access.adminPassword)) };
  });
}

const plain = (outputs: OutputMap): Record<string, unknown> => Object.fromEntries(Object.entries(outputs).map(([name, { value }]) => [name, value as unknown]));

export interface PreviewResult {
  readonly changes: OpMap;
  readonly text: string;
  readonly times: readonly PhaseTime[];
}

/** What an update would do. */
export function previewUp(options: UpOptions): Promise<PreviewResult> {
  return withSession("preview", options, async (session) => {
    const prepared: Prepared = { configuration: await readConfiguration(options.stack, options.settings) };
    let result: { changes: OpMap; text: string } | undefined;
    const phase: Phase = {
      title: `Preview of stack ${options.stack}`,
      work: async ({ say, show, signal }) => {
        const stack = await open(session, prepared);
        await releaseStaleLock(stack, session.paths, say, signal);
        const progress = new Progress(show);
        const { stdout, changeSummary } = await explained(progress, () =>
          stack.preview({ refresh: true, diff: true, suppressOutputs: true, color: "never", onEvent: progress.onEvent, signal }),
        );
        result = { text: stdout, changes: changeSummary };
        return describeChanges(result.changes)
          .replaceAll(/(\d+) (\w+)/g, "$1 to be $2")
          .replace("to be unchanged", "unchanged");
      },
    };
    const times = await runPhases([...preparation(session, prepared, false), phase], phaseOptions(session));
    return { ...result!, times };
  });
}

const phaseOptions = ({ signal, show, log }: Session): Parameters<typeof runPhases>[1] => ({
  signal,
  log: show,
  record: log.line,
});

function preparation(session: Session, prepared: Prepared, withImages: boolean, deliver?: UpOptions["deliverImages"]): Plan {
  const surroundings = { ...session, prepared, onLine: session.log.line };
  const { plain } = prepared.configuration!;
  if (targetOf(plain) === "kubernetes") {
    const needsDocker = plain.imageRegistry === undefined || plain.pushImages;
    const makesImages = withImages && plain.imageRegistry === undefined;
    const images = needsDocker ? [enginePhase, choicePhase(withImages), basesPhase, ...(makesImages ? [imagesPhase] : [])] : [];
    const prepare = [clusterPhase, ...images].map((phase) => phase(surroundings));
    const delivery = makesImages ? [deliveryPhase(surroundings, deliver)] : [];
    return [[[cliPhase(surroundings)], [...prepare, ...delivery]], pluginsPhase(surroundings)];
  }
  const docker = [enginePhase, choicePhase(withImages), ...(withImages ? [portsPhase] : []), basesPhase, ...(withImages ? [imagesPhase] : [])].map(
    (phase) => phase(surroundings),
  );
  return [[[cliPhase(surroundings)], docker], pluginsPhase(surroundings)];
}

function open({ stack, log }: Session, { cli, plugins, configuration }: Prepared): Promise<Stack> {
  return openStack({
    stack,
    cli: cli!,
    plugins: plugins!,
    configuration: configuration!.entries,
    program: async () => {
      enforcePolicies();
      return { ...(await program()) };
    },
    onLine: log.line,
  });
}

interface Update {
  readonly outputs: OutputMap;
  readonly changes: OpMap;
}

/**
 * Repairs what an interrupted run has left, compares the state with what is there, and makes it what the stack's program
 * describes.
 */
export async function updateStack(
  stack: Stack,
  paths: StackPaths,
  { say, show, signal }: PhaseContext,
  { connection, place }: Pick<Prepared, "connection" | "place"> = {},
): Promise<Update> {
  await releaseStaleLock(stack, paths, say, signal);
  const before = await deploymentOf(stack);
  if (connection && place) await refuseForeignClaims(stack.name, connection.cluster, place, before);
  else await refuseForeignData(stack.name, before);
  await clearInterrupted(stack, before, say, signal);
  const progress = new Progress(show);
  const { outputs, summary } = await explained(progress, () =>
    stack.up({
      refresh: true,
      replace: failedJobs(before),
      color: "never",
      suppressProgress: true,
      // Of the summary, which would otherwise decrypt the configuration to show it.
      showSecrets: false,
      onEvent: progress.onEvent,
      signal,
    }),
  );
  return { outputs, changes: summary.resourceChanges ?? {} };
}

/** Data can only be opened with the secrets they were made with, and these are in the state. */
async function refuseForeignData(stack: string, { resources = [], pending_operations: pending = [] }: Deployment): Promise<void> {
  if (resources.some(({ type }) => type.startsWith("random:")) || pending.length > 0) return;
  const { Volumes: volumes } = await dockerClient().listVolumes({
    filters: { label: [`com.routeql.stack=${stack}`, "com.routeql.run=data"] },
  });
  if (volumes.length === 0) return;
  const suffix = stack === "local" ? "" : ` --stack ${stack}`;
  const names = volumes.map(({ Name }) => Name).join(", ");
  throw new Failure(
    `The Docker engine has data of a stack named ${stack} (${names}) whose secrets are not in this checkout's .routeql/${stack}`,
    {
      remedy: `restore that folder, use another name (--stack), or remove the data: npm run down -- --volumes${suffix}`,
    },
  );
}

/** Runs an operation of the engine; its failure is told by the engine's own diagnostics. */
async function explained<T>(progress: Progress, operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    if (!(error instanceof CommandError) || progress.errors.length === 0) throw error;
    throw new Failure("The stack could not be brought to what its program describes", {
      lastLines: progress.errors.flatMap((message) => message.split("\n")).slice(-40),
      remedy: "remove the cause and run this again: it goes on where it stopped.",
      cause: error,
    });
  }
}
