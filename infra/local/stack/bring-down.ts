import { readdir } from "node:fs/promises";
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { dockerClient, orUndefined } from "../docker/client.ts";
import { type Phase, type PhaseContext, runPhases } from "../foundation/phases.ts";
import { dataClaims, removeDataClaims } from "../kubernetes/data.ts";
import { forgetPlace, type Place, placeOf } from "../kubernetes/place.ts";
import { removeAccess } from "./access.ts";
import { keptWithData } from "./kept.ts";
import { cliPhase, clusterPhase, enginePhase, pluginsPhase, type Prepared } from "./phases.ts";
import { Progress } from "./progress.ts";
import { clearInterrupted, deploymentOf, releaseStaleLock, removeLeftovers } from "./recovery.ts";
import { type RunOptions, type Session, withSession } from "./session.ts";
import { openStack } from "./workspace.ts";

export interface DownOptions extends RunOptions {
  /** Removes the data too, and the secrets that open them. */
  readonly volumes?: boolean;
}

export interface DownResult {
  /** Resources that the engine destroyed. */
  readonly destroyed: number;
  /** Data volumes, by name. */
  readonly keptVolumes: readonly string[];
  /** The secrets that belong to the kept data are in the stack's state. */
  readonly secretsKept: boolean;
  readonly removedVolumes: readonly string[];
}

/** Takes a stack down; its data volumes stay unless asked otherwise. A stack that is not there is fine. */
export function bringDown(options: DownOptions): Promise<DownResult> {
  return withSession("down", options, async (session) => {
    const place = await placeOf(options.stack);
    if (place) return bringDownOnCluster(options, session, place);
    const prepared: Prepared = {};
    const surroundings = { ...session, prepared, onLine: session.log.line };
    let destroyed = 0;
    const destroy: Phase = {
      title: `Stack ${options.stack}`,
      work: async (context) => {
        destroyed = await destroyStack(session, prepared, options.volumes ?? false, context);
        return destroyed === 0 ? "nothing was there" : `${destroyed} removed`;
      },
    };
    // Without a state there is nothing for the engine to do, so no CLI is needed.
    const secretsKept = await hasState(session);
    const engineWork = secretsKept ? [pluginsPhase(surroundings), destroy] : [];
    const first = engineWork.length > 0 ? [[cliPhase(surroundings)], [enginePhase(surroundings)]] : [[enginePhase(surroundings)]];
    await runPhases([first, ...engineWork], { signal: session.signal, log: session.show, record: session.log.line });
    await removeLeftovers(options.stack, {});
    await removeAccess(session.paths);
    const { data, others } = await volumesOf(options.stack);
    // Files and secrets are put there anew by every update.
    for (const name of others) await removeVolume(name);
    if (!options.volumes) return { destroyed, keptVolumes: data, secretsKept, removedVolumes: [] };
    for (const name of data) await removeVolume(name);
    return { destroyed, keptVolumes: [], secretsKept: false, removedVolumes: data };
  });
}

async function bringDownOnCluster({ stack, volumes = false }: DownOptions, session: Session, place: Place): Promise<DownResult> {
  const prepared: Prepared = {};
  const surroundings = { ...session, prepared, onLine: session.log.line };
  const result = { destroyed: 0, keptVolumes: [] as string[], removedVolumes: [] as string[] };
  const destroy: Phase = {
    title: `Stack ${stack}`,
    work: async (context) => {
      const { cluster } = prepared.connection!;
      const claims = await dataClaims(cluster, place, context.signal);
      result.destroyed = await destroyStack(session, prepared, volumes, context);
      if (volumes) {
        // Where the namespace was not the stack's own, the claims are still there.
        await removeDataClaims(cluster, place, context.signal);
        result.removedVolumes = claims;
      } else result.keptVolumes = claims;
      return result.destroyed === 0 ? "nothing was there" : `${result.destroyed} removed`;
    },
  };
  const phases = [[[cliPhase(surroundings)], [clusterPhase(surroundings)]], pluginsPhase(surroundings), destroy];
  await runPhases(phases, { signal: session.signal, log: session.show, record: session.log.line });
  await removeAccess(session.paths);
  if (volumes) await forgetPlace(session.paths);
  return { ...result, secretsKept: !volumes };
}

async function hasState({ paths }: Session): Promise<boolean> {
  const entries = await readdir(`${paths.state}/.pulumi/stacks`, { recursive: true }).catch(() => []);
  return entries.length > 0;
}

async function volumesOf(stack: string): Promise<{ data: string[]; others: string[] }> {
  const { Volumes: volumes } = await dockerClient().listVolumes({ filters: { label: [`com.routeql.stack=${stack}`] } });
  const names = (isData: boolean): string[] =>
    volumes
      .filter(({ Labels }) => (Labels?.["com.routeql.run"] === "data") === isData)
      .map(({ Name }) => Name)
      .toSorted();
  return { data: names(true), others: names(false) };
}

async function removeVolume(name: string): Promise<void> {
  await orUndefined(dockerClient().getVolume(name).remove());
}

async function destroyStack(
  session: Session,
  { cli, plugins }: Prepared,
  withData: boolean,
  { say, show, signal }: PhaseContext,
): Promise<number> {
  const stack: Stack = await openStack({
    stack: session.stack,
    cli: cli!,
    plugins: plugins!,
    program: async () => ({}),
    onLine: session.log.line,
  });
  await releaseStaleLock(stack, session.paths, say, signal);
  const { resources = [] } = await clearInterrupted(stack, await deploymentOf(stack), say, signal);
  const kept = keptWithData(resources);
  // What was generated stays with the data that it belongs to: passwords of the database, the key that encrypts others.
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
