/** Which state owns a stack on the Docker engine. The stack's name is not enough: two checkouts on one engine may both use it. */
import { stackOption } from "../foundation/command.ts";
import { type EngineIdentity, readEngineIdentity } from "../docker/engine/engine-facts.ts";
import {
  isData,
  makeClaim,
  type Owner,
  readClaim,
  removeClaim,
  type StackObject,
  stackObjects,
  stateLabel,
} from "@routeql/host/docker/stack-objects";
import { dockerClient, orUndefined } from "@routeql/host/docker/client";
import { Failure } from "@routeql/host/failure";
import { type StackPaths, stackPaths } from "@routeql/host/paths";
import {
  belongsToAnother,
  type Identity,
  isCopied,
  isGone,
  keepIdentity,
  type KnownOwner,
  newIdentity,
  ownerByLabels,
  readIdentity,
  thisCheckout,
} from "./owner.ts";
import { removeLeftovers } from "../pulumi/recovery.ts";

const where = "on this Docker engine";

/** Objects and owners of a stack's name on the current engine. */
export interface Holding {
  readonly identity: Identity | undefined;
  readonly engine: EngineIdentity;
  readonly claim: Owner | undefined;
  readonly objects: readonly StackObject[];
  /** Undefined when the stack belongs to this checkout, or does not exist. */
  readonly other: KnownOwner | undefined;
}

async function holdingOf(stack: string): Promise<Holding> {
  const [identity, engine, claim, objects] = await Promise.all([
    readIdentity(stackPaths(stack)),
    readEngineIdentity(),
    readClaim(stack),
    stackObjects(stack),
  ]);
  const other =
    claim === undefined
      ? ownerByLabels(
          objects.map(({ labels }) => labels[stateLabel]),
          identity,
        )
      : await otherByClaim(stack, claim, identity, objects);
  return { identity, engine, claim, objects, other };
}

async function otherByClaim(
  stack: string,
  claim: Owner,
  identity: Identity | undefined,
  objects: readonly StackObject[],
): Promise<KnownOwner | undefined> {
  if (claim.state === identity?.state) return (await isCopied(stack, claim)) ? claim : undefined;
  // A claim without objects, from a failed run in a checkout that no longer exists.
  return objects.length === 0 && (await isGone(claim)) ? undefined : claim;
}

const dataNames = (objects: readonly StackObject[]): string[] =>
  objects
    .filter(isData)
    .map(({ name }) => name)
    .toSorted();

/** @throws Failure when the state belongs to another Docker engine */
function refuseOtherEngine(stack: string, { identity, engine }: Holding): void {
  if (identity?.engine === undefined || identity.engine.id === engine.id) return;
  throw new Failure(
    `The stack ${stack} is on the Docker engine ${identity.engine.name}, and this is the Docker engine ${engine.name}`,
    {
      remedy:
        `point DOCKER_HOST or the Docker context to that engine again, or use another name for a stack on this one (--stack NAME). ` +
        `If that engine no longer exists, \`npm run up -- --adopt${stackOption(stack)}\` creates the stack on this one.`,
    },
  );
}

/** @throws Failure when the stack is on another engine, or belongs to another state */
function refuse(stack: string, holding: Holding): void {
  refuseOtherEngine(stack, holding);
  if (holding.other !== undefined)
    throw belongsToAnother(stack, holding.other, { where, dataNames: dataNames(holding.objects) });
}

/** Labels for objects that a command on a running stack creates. @throws Failure for a stack of another engine or state */
export async function requireOwn(stack: string): Promise<Readonly<Record<string, string>>> {
  const holding = await holdingOf(stack);
  refuse(stack, holding);
  return holding.identity === undefined ? {} : { [stateLabel]: holding.identity.state };
}

/** Checks the owner before a stack is removed. @throws Failure for a stack of another engine or state that is not to be adopted */
export async function requireOwnOrAdopt(stack: string, adopt: boolean): Promise<Holding> {
  const holding = await holdingOf(stack);
  if (!adopt) refuse(stack, holding);
  return holding;
}

/** Data is only readable with the secrets of its creation, and these are in the state. */
function refuseForeignData(stack: string, { objects, other, identity }: Holding): void {
  const isForeign = ({ labels: { [stateLabel]: state } }: StackObject): boolean =>
    state === undefined || state !== identity?.state;
  const foreign = objects.filter((object) => isData(object) && isForeign(object)).map(({ name }) => name);
  if (foreign.length === 0) return;
  const folder = other?.folder
    ? `${other.folder}/.routeql/${stack}`
    : `.routeql/${stack} of the checkout that created it`;
  throw new Failure(
    `The Docker engine has data of a stack named ${stack} (${foreign.join(", ")}) whose secrets are not in this checkout's .routeql/${stack}`,
    {
      remedy: `copy ${folder} here to keep using the data, use another name (--stack NAME), or delete the data permanently: npm run down -- --volumes --adopt${stackOption(stack)}`,
    },
  );
}

/** Result of {@link checkOwnership}. */
export interface Permit {
  /** Of the state; new for a new stack. */
  readonly identity: Identity;
  /** Another state owns the name, and this state replaces it. */
  readonly replaces: boolean;
}

/** Checks the owner before anything is built. @throws Failure for a stack of another engine or state, and for another state's data */
export async function checkOwnership(stack: string, adopt: boolean): Promise<Permit> {
  const holding = await holdingOf(stack);
  // Foreign data is the more severe problem, and adopting does not solve it.
  if (adopt || holding.other === undefined) refuseForeignData(stack, holding);
  if (!adopt) refuse(stack, holding);
  const identity = { ...(holding.identity ?? newIdentity()), engine: holding.engine };
  return {
    identity,
    replaces: holding.other !== undefined || (holding.claim !== undefined && holding.claim.state !== identity.state),
  };
}

/** Claims the stack's name on this engine for this state before anything is created. @throws Failure when another was faster */
export async function claimStack(stack: string, paths: StackPaths, { identity, replaces }: Permit): Promise<void> {
  const mine = thisCheckout(identity.state);
  await keepIdentity(paths, identity);
  const before = await readClaim(stack);
  if (before !== undefined && (Object.keys(mine) as (keyof Owner)[]).every((key) => before[key] === mine[key])) return;
  if (replaces) await removeAllButData(stack);
  // The same state in another folder, or another state that is replaced.
  if (before !== undefined && (replaces || before.state === mine.state)) await removeClaim(stack);
  const made = await makeClaim(stack, mine);
  if (made.state !== mine.state) throw belongsToAnother(stack, made, { where });
}

async function removeAllButData(stack: string): Promise<void> {
  await removeLeftovers(stack, {});
  const volumes = (await stackObjects(stack)).filter((object) => object.kind === "volume" && !isData(object));
  for (const { id } of volumes) await orUndefined(dockerClient().getVolume(id).remove());
}

/** Releases the name once nothing is left on the engine: the next run may use another engine. */
export async function releaseStack(stack: string, paths: StackPaths): Promise<void> {
  await removeClaim(stack);
  const identity = await readIdentity(paths);
  if (identity !== undefined) await keepIdentity(paths, { state: identity.state });
}
