import { readdir } from "node:fs/promises";
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { phase, type PhaseContext, type Ready, runPhases } from "../foundation/phases.ts";
import type { PulumiCli } from "../pulumi/acquire.ts";
import type { PluginKind } from "../pulumi/plugins.ts";
import { removeAccess } from "../access/access.ts";
import { forgetChoice } from "../configuration/image-choice.ts";
import { cliPhase, pluginsPhase } from "./phases.ts";
import { removalOf } from "./places/open.ts";
import { Progress } from "./progress.ts";
import { clearInterrupted, releaseStaleLock, type StateResource } from "../pulumi/recovery.ts";
import { type RunOptions, type Session, withSession } from "../pulumi/session.ts";
import { openStack } from "./workspace.ts";

/** Deleting a namespace deletes its volumes. Deleting a CloudNativePG cluster deletes those of its instances. */
const holdsData: ReadonlySet<string> = new Set([
  "kubernetes:core/v1:Namespace",
  "kubernetes:postgresql.cnpg.io/v1:Cluster",
]);

/** Resources that must stay to keep the data: the holders of the data and their dependencies (logins, policy, backup storage). */
export function keptWithData(resources: readonly StateResource[]): ReadonlySet<string> {
  const byUrn = new Map(resources.map((resource) => [resource.urn, resource]));
  const kept = new Set<string>();
  const keep = (urn: string): void => {
    if (kept.has(urn)) return;
    kept.add(urn);
    for (const needed of byUrn.get(urn)?.dependencies ?? []) keep(needed);
  };
  for (const { type, urn } of resources) if (holdsData.has(type)) keep(urn);
  return kept;
}

export interface DownOptions extends RunOptions {
  /** Also deletes the data and its secrets. */
  readonly volumes?: boolean;
  /** Also for a stack that belongs to another state or another Docker daemon. */
  readonly adopt?: boolean;
}

export interface DownResult {
  /** Number of resources that Pulumi deleted. */
  readonly destroyed: number;
  readonly keptVolumes: readonly string[];
  /** The secrets of the kept data are in the stack's state. */
  readonly secretsKept: boolean;
  readonly removedVolumes: readonly string[];
  /** A cause by which the kept data could get lost. */
  readonly warning: string | undefined;
}

/** Stops and removes a stack; its data volumes stay unless `volumes` is set. A missing stack is no error. */
export function bringDown(options: DownOptions): Promise<DownResult> {
  return withSession("down", options, async (session) => {
    const { stack, adopt = false, volumes = false } = options;
    const { line: onLine } = session.log;
    const place = await removalOf(session, adopt);
    const cli = cliPhase(onLine);
    const plugins = pluginsPhase(session, cli, onLine);
    // Without a state Pulumi has nothing to do, so its CLI is not needed.
    const usesPulumi = await hasState(session);
    const removal = phase(`Stack ${stack}`, async (context) => {
      const data = await place.data(context.signal);
      const tools = { cli, plugins };
      const removeLost: RemoveLost = (deployment) => place.removeInterrupted(deployment);
      const destroyed = usesPulumi ? await destroyStack(session, tools, removeLost, volumes, context) : 0;
      await place.removeRest(volumes, context.signal);
      return [{ data, destroyed }, destroyed === 0 ? "nothing to remove" : `${destroyed} removed`];
    });
    const phases = usesPulumi ? [[[cli], place.lane], plugins, removal] : [...place.lane, removal];
    await runPhases(phases, { signal: session.signal, log: session.show, record: onLine });
    await removeAccess(session.paths);
    if (volumes) await forgetChoice(session.paths);
    const { data, destroyed } = removal.result;
    return {
      destroyed,
      keptVolumes: volumes ? [] : data,
      secretsKept: usesPulumi && !volumes,
      removedVolumes: volumes ? data : [],
      warning: place.warning,
    };
  });
}

async function hasState({ paths }: Session): Promise<boolean> {
  const entries = await readdir(`${paths.state}/.pulumi/stacks`, { recursive: true }).catch(() => []);
  return entries.length > 0;
}

interface Tools {
  readonly cli: Ready<PulumiCli>;
  readonly plugins: Ready<PluginKind>;
}

type RemoveLost = Parameters<typeof clearInterrupted>[2];

/** @param removeLost removes objects that an interrupted run left */
async function destroyStack(
  session: Session,
  { cli, plugins }: Tools,
  removeLost: RemoveLost,
  withData: boolean,
  { say, show, signal }: PhaseContext,
): Promise<number> {
  const stack: Stack = await openStack({
    stack: session.stack,
    cli: cli.result,
    plugins: plugins.result,
    program: async () => ({}),
    onLine: session.log.line,
  });
  await releaseStaleLock(stack, session.paths, say, signal);
  const { resources = [] } = await clearInterrupted(stack, session.paths, removeLost, say, signal);
  const kept = keptWithData(resources);
  // Generated secrets stay with their data: database passwords and the key that encrypts other keys.
  const target = resources
    .filter(({ type, urn }) => /^(docker|kubernetes):/.test(type) && !kept.has(urn))
    .map(({ urn }) => urn);
  if (!withData && target.length === 0) return 0;
  if (resources.length === 0) return 0;
  const progress = new Progress(show);
  const { summary } = await stack.destroy({
    ...(withData ? {} : { target }),
    color: "never",
    suppressProgress: true,
    showSecrets: false,
    onEvent: progress.onEvent,
    signal,
  });
  return summary.resourceChanges?.delete ?? 0;
}
