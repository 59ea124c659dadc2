/**
 * Which state a stack on the Docker engine belongs to. The stack's name alone says nothing: two checkouts on one engine may both have a stack
 * of the same name.
 * @module
 */
import { type EngineIdentity, readEngineIdentity } from "../docker/engine-identity.ts";
import { makeClaim, type Owner, readClaim, removeClaim } from "../docker/claim.ts";
import { dockerClient, orUndefined } from "@routeql/host/docker/client";
import { isData, stackObjects, type StackObject, stateLabel } from "../docker/stack-objects.ts";
import { Failure } from "@routeql/host/failure";
import { type StackPaths, stackPaths } from "@routeql/host/paths";
import { type Identity, keepIdentity, newIdentity, readIdentity } from "./identity.ts";
import { belongsToAnother, isCopied, isGone, type KnownOwner, thisCheckout } from "./owner.ts";
import { removeLeftovers } from "./recovery.ts";
import { type Deployment, storedDeployment } from "./stored-deployment.ts";

const where = "on this Docker engine";

/** What a stack's name stands for on the engine at hand. */
export interface Holding {
  readonly identity: Identity | undefined;
  readonly engine: EngineIdentity;
  readonly claim: Owner | undefined;
  readonly objects: readonly StackObject[];
  /** Undefined when the stack is this checkout's, or when there is none. */
  readonly other: KnownOwner | undefined;
}

/** Objects of an earlier version carry no state: the state that made them knows them by their ids, and data by their secrets. */
function madeByEarlierVersion(objects: readonly StackObject[], { resources = [] }: Deployment): boolean {
  const known = new Set(resources.map(({ id }) => id));
  const running = objects.filter(({ kind }) => kind !== "volume");
  if (running.length > 0) return running.some(({ id }) => known.has(id));
  return objects.some(({ id }) => known.has(id)) || resources.some(({ type }) => type.startsWith("random:"));
}

/** The other state that objects belong to, by their labels. */
function otherByLabels(objects: readonly StackObject[], identity: Identity | undefined, deployment: Deployment): KnownOwner | undefined {
  const states = objects.map(({ labels }) => labels[stateLabel]).filter((state) => state !== undefined);
  if (identity !== undefined && states.includes(identity.state)) return undefined;
  const [state] = states;
  if (state !== undefined) return { state };
  return objects.length === 0 || madeByEarlierVersion(objects, deployment) ? undefined : {};
}

async function holdingOf(stack: string): Promise<Holding> {
  const paths = stackPaths(stack);
  const [identity, engine, claim, objects, deployment] = await Promise.all([
    readIdentity(paths),
    readEngineIdentity(),
    readClaim(stack),
    stackObjects(stack),
    storedDeployment(paths, stack),
  ]);
  const other = claim === undefined ? otherByLabels(objects, identity, deployment) : await otherByClaim(stack, claim, identity, objects);
  return { identity, engine, claim, objects, other };
}

async function otherByClaim(stack: string, claim: Owner, identity: Identity | undefined, objects: readonly StackObject[]): Promise<KnownOwner | undefined> {
  if (claim.state === identity?.state) return (await isCopied(stack, claim)) ? claim : undefined;
  // Left by a run that failed before it made anything, in a checkout that has been removed since.
  return objects.length === 0 && (await isGone(claim)) ? undefined : claim;
}

const dataNames = (objects: readonly StackObject[]): string[] => objects.filter(isData).map(({ name }) => name).toSorted();

/** @throws Failure when the state remembers another Docker engine */
function refuseOtherEngine(stack: string, { identity, engine }: Holding): void {
  if (identity?.engine === undefined || identity.engine.id === engine.id) return;
  throw new Failure(`The stack ${stack} is on the Docker engine ${identity.engine.name}, and this is the Docker engine ${engine.name}`, {
    remedy:
      `let DOCKER_HOST or the Docker context name that engine again, or use another name for a stack on this one (--stack NAME). ` +
      `Where that engine is gone, \`npm run up -- --adopt${stack === "local" ? "" : ` --stack ${stack}`}\` starts anew on this one.`,
  });
}

/** @throws Failure when the stack is on another engine, or another state's */
function refuse(stack: string, holding: Holding): void {
  refuseOtherEngine(stack, holding);
  if (holding.other !== undefined) throw belongsToAnother(stack, holding.other, { where, dataNames: dataNames(holding.objects) });
}

/**
 * For commands that work on a stack that is up.
 * @returns labels for what a command creates
 * @throws Failure when the stack is on another engine, or another state's
 */
export async function requireOwn(stack: string): Promise<Readonly<Record<string, string>>> {
  const holding = await holdingOf(stack);
  refuse(stack, holding);
  return holding.identity === undefined ? {} : { [stateLabel]: holding.identity.state };
}

/**
 * Before a stack is taken down.
 * @throws Failure when the stack is on another engine or another state's, and is not to be adopted
 */
export async function requireOwnOrAdopt(stack: string, adopt: boolean): Promise<Holding> {
  const holding = await holdingOf(stack);
  if (!adopt) refuse(stack, holding);
  return holding;
}

/** Data can only be opened with the secrets they were made with, and these are in the state. */
function refuseForeignData(stack: string, { objects, other, identity }: Holding, { resources = [], pending_operations: pending = [] }: Deployment): void {
  const hasSecrets = resources.some(({ type }) => type.startsWith("random:")) || pending.length > 0;
  const isForeign = ({ labels: { [stateLabel]: state } }: StackObject): boolean => (state === undefined ? !hasSecrets : state !== identity?.state);
  const foreign = objects.filter((object) => isData(object) && isForeign(object)).map(({ name }) => name);
  if (foreign.length === 0) return;
  const folder = other?.folder ? `${other.folder}/.routeql/${stack}` : `.routeql/${stack} of the checkout that made it`;
  const more = stack === "local" ? "" : ` --stack ${stack}`;
  throw new Failure(`The Docker engine has data of a stack named ${stack} (${foreign.join(", ")}) whose secrets are not in this checkout's .routeql/${stack}`, {
    remedy: `copy ${folder} here to go on with the data, use another name (--stack NAME), or remove the data for good: npm run down -- --volumes --adopt${more}`,
  });
}

/** What {@link checkOwnership} has found. */
export interface Permit {
  /** Of the state; new for a new stack. */
  readonly identity: Identity;
  /** Another state has the name, and gives way. */
  readonly replaces: boolean;
}

/**
 * Before anything is built for a stack.
 * @throws Failure when the stack is on another engine or another state's, and is not to be adopted; when its data are another state's
 */
export async function checkOwnership(stack: string, paths: StackPaths, adopt: boolean): Promise<Permit> {
  const holding = await holdingOf(stack);
  // The data are the graver finding, and adopting does not help.
  if (adopt || holding.other === undefined) refuseForeignData(stack, holding, await storedDeployment(paths, stack));
  if (!adopt) refuse(stack, holding);
  const identity = { ...(holding.identity ?? newIdentity()), engine: holding.engine };
  return { identity, replaces: holding.other !== undefined || (holding.claim !== undefined && holding.claim.state !== identity.state) };
}

/**
 * Takes the stack's name on this engine for this state, before anything is created there.
 * @throws Failure when another state has been faster
 */
export async function claimStack(stack: string, paths: StackPaths, { identity, replaces }: Permit): Promise<void> {
  const mine = thisCheckout(identity.state);
  await keepIdentity(paths, identity);
  const before = await readClaim(stack);
  if (before !== undefined && (Object.keys(mine) as (keyof Owner)[]).every((key) => before[key] === mine[key])) return;
  if (replaces) await removeAllButData(stack);
  // The same state in another place, or another state that gives way.
  if (before !== undefined && (replaces || before.state === mine.state)) await removeClaim(stack);
  const made = await makeClaim(stack, mine);
  if (made.state !== mine.state) throw belongsToAnother(stack, made, { where });
}

async function removeAllButData(stack: string): Promise<void> {
  await removeLeftovers(stack, {});
  const volumes = (await stackObjects(stack)).filter((object) => object.kind === "volume" && !isData(object));
  for (const { id } of volumes) await orUndefined(dockerClient().getVolume(id).remove());
}

/** Nothing is left on the engine: it may be another one the next time, and the name is free. */
export async function releaseStack(stack: string, paths: StackPaths): Promise<void> {
  await removeClaim(stack);
  const identity = await readIdentity(paths);
  if (identity !== undefined) await keepIdentity(paths, { state: identity.state });
}
