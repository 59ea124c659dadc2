import { readdir } from "node:fs/promises";
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { dockerClient, orUndefined } from "@routeql/host/docker/client";
import { isData, stackObjects, stateLabel } from "@routeql/host/docker/stack-objects";
import { phase, type PhaseContext, runPhases } from "../foundation/phases.ts";
import { clusterClaims } from "../kubernetes/claims.ts";
import { dataClaims, removeDataClaims } from "../kubernetes/data-claims.ts";
import { dockerClaims } from "../docker/claims.ts";
import { lostKinds, removeLostObjects } from "../kubernetes/lost-objects.ts";
import { forgetPlace, type Place, placeOf } from "../kubernetes/place.ts";
import type { PulumiCli } from "../pulumi/acquire.ts";
import type { PluginKind } from "../pulumi/plugins.ts";
import { removeAccess } from "../access/access.ts";
import { forgetChoice } from "../configuration/image-choice.ts";
import { refuseLostArchive } from "./lost-archive.ts";
import { releaseNetworkRange } from "../addresses/network-range.ts";
import { type Holding, releaseStack, requireOwnOrAdopt } from "../ownership/ownership.ts";
import { cliPhase, clusterPhase, enginePhase, pluginsPhase } from "./phases.ts";
import { Progress } from "./progress.ts";
import { readIdentity } from "../ownership/owner.ts";
import {
  clearInterrupted,
  isOf,
  releaseStaleLock,
  removeLeftovers,
  type StateResource,
  storedDeployment,
} from "../pulumi/recovery.ts";
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
  /** Also for a stack that belongs to another state or another Docker engine. */
  readonly adopt?: boolean;
}

export interface DownResult {
  /** Number of resources that Pulumi deleted. */
  readonly destroyed: number;
  readonly keptVolumes: readonly string[];
  /** The secrets of the kept data are in the stack's state. */
  readonly secretsKept: boolean;
  readonly removedVolumes: readonly string[];
}

/** Stops and removes a stack; its data volumes stay unless `volumes` is set. A missing stack is no error. */
export function bringDown(options: DownOptions): Promise<DownResult> {
  return withSession("down", options, async (session) => {
    const place = await placeOf(options.stack);
    if (place) return bringDownOnCluster(options, session, place);
    const { adopt = false, volumes = false } = options;
    const onLine = session.log.line;
    const cli = cliPhase(onLine);
    const plugins = pluginsPhase(session, cli, onLine);
    const ownership = phase("Ownership", async () => {
      const holding = await requireOwnOrAdopt(options.stack, dockerClaims(options.stack), adopt);
      if (holding.other !== undefined) await refuseLostArchive(options.stack);
      return [holding, ""];
    });
    const destroy = phase(`Stack ${options.stack}`, async (context) => {
      const tools = { cli: cli.result, plugins: plugins.result };
      const removeLost: RemoveLost = (deployment) =>
        removeLeftovers(options.stack, deployment, ownership.result.identity?.state);
      const count = await destroyStack(session, tools, removeLost, volumes, context);
      return [count, removedText(count)];
    });
    // Without a state Pulumi has nothing to do, so its CLI is not needed.
    const secretsKept = await hasState(session);
    const first = [...(secretsKept ? [[cli]] : []), [enginePhase(onLine), ownership]];
    const engineWork = secretsKept ? [plugins, destroy] : [];
    await runPhases([first, ...engineWork], { signal: session.signal, log: session.show, record: onLine });
    const destroyed = secretsKept ? destroy.result : 0;
    const owner = ownerOf(ownership.result, adopt);
    await removeLeftovers(options.stack, {}, owner);
    await releaseNetworkRange(session.paths);
    await removeAccess(session.paths);
    const { data, others } = await volumesOf(options.stack, owner);
    // Every update writes the files and secrets of these volumes again.
    for (const name of others) await removeVolume(name);
    if (options.volumes) {
      for (const name of data) await removeVolume(name);
      await forgetChoice(session.paths);
    }
    const keptVolumes = options.volumes ? [] : data;
    if (keptVolumes.length === 0) await releaseStack(session.paths, dockerClaims(options.stack));
    return {
      destroyed,
      keptVolumes,
      secretsKept: secretsKept && !options.volumes,
      removedVolumes: options.volumes ? data : [],
    };
  });
}

/** Identity of the state whose objects may be removed; undefined to remove all objects of the stack's name. */
const ownerOf = ({ identity }: Holding, adopt: boolean): string | undefined =>
  adopt ? undefined : (identity?.state ?? "none");

const removedText = (count: number): string => (count === 0 ? "nothing to remove" : `${count} removed`);

async function bringDownOnCluster(
  { stack, volumes = false, adopt = false }: DownOptions,
  session: Session,
  place: Place,
): Promise<DownResult> {
  const onLine = session.log.line;
  const cli = cliPhase(onLine);
  const plugins = pluginsPhase(session, cli, onLine);
  const located = clusterPhase(stack, () => place);
  const destroy = phase(`Stack ${stack}`, async (context) => {
    const { cluster } = located.result.connection;
    const claims = clusterClaims(cluster, place);
    await requireOwnOrAdopt(stack, claims, adopt);
    const volumeClaims = await dataClaims(cluster, place, context.signal);
    const tools = { cli: cli.result, plugins: plugins.result };
    // Lost objects of a cluster are deleted after the others.
    const destroyed = await destroyStack(session, tools, async () => [], volumes, context);
    const owner = (await readIdentity(session.paths))?.state;
    const deployment = await storedDeployment(session.paths, stack);
    if (owner !== undefined)
      await removeLostObjects(cluster, { place, owner, deployment }, lostKinds.after, context.signal);
    if (volumes) {
      // The claims still exist if the namespace does not belong to the stack.
      await removeDataClaims(cluster, place, context.signal);
      await releaseStack(session.paths, claims);
    }
    const result = { destroyed, removedVolumes: volumes ? volumeClaims : [], keptVolumes: volumes ? [] : volumeClaims };
    return [result, removedText(destroyed)];
  });
  const phases = [[[cli], [located]], plugins, destroy];
  await runPhases(phases, { signal: session.signal, log: session.show, record: onLine });
  await removeAccess(session.paths);
  if (volumes) {
    await forgetPlace(session.paths);
    await forgetChoice(session.paths);
  }
  return { ...destroy.result, secretsKept: !volumes };
}

async function hasState({ paths }: Session): Promise<boolean> {
  const entries = await readdir(`${paths.state}/.pulumi/stacks`, { recursive: true }).catch(() => []);
  return entries.length > 0;
}

async function volumesOf(stack: string, owner: string | undefined): Promise<{ data: string[]; others: string[] }> {
  const volumes = (await stackObjects(stack)).filter(
    ({ kind, labels }) => kind === "volume" && isOf(owner, labels[stateLabel]),
  );
  const names = (wanted: boolean): string[] =>
    volumes
      .filter((volume) => isData(volume) === wanted)
      .map(({ name }) => name)
      .toSorted();
  return { data: names(true), others: names(false) };
}

async function removeVolume(name: string): Promise<void> {
  await orUndefined(dockerClient().getVolume(name).remove());
}

interface Tools {
  readonly cli: PulumiCli;
  readonly plugins: PluginKind;
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
    cli,
    plugins,
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
