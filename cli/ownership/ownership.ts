/** Which state owns a stack where it runs. The stack's name is not enough: two checkouts on one daemon, or in one namespace, may both use it. */
import { stackOption } from "../foundation/command.ts";
import type { DaemonIdentity } from "@routeql/host/docker/daemon-identity";
import { type KnownOwner, type Owner, stateLabel } from "@routeql/host/ownership";
import { Failure } from "@routeql/host/failure";
import { type StackPaths, stackPaths } from "@routeql/host/paths";
import {
  belongsToAnother,
  type Identity,
  isCopied,
  isGone,
  keepIdentity,
  newIdentity,
  ownerByLabels,
  readIdentity,
  thisCheckout,
} from "./owner.ts";

/** An object with the stack's name. */
export interface NamedObject {
  readonly name: string;
  /** Its label of the state that created it. */
  readonly state: string | undefined;
  /** Whether only the secrets of that state open it. */
  readonly isData: boolean;
}

/** The claim on the name of one stack, and the objects with that name: docker/claims.ts and kubernetes/objects/claims.ts. */
export interface ClaimStore {
  /** Continues `The stack NAME …`, such as `on this Docker daemon`. */
  readonly where: string;
  /** The Docker daemon, to which a state stays bound; undefined for a cluster, which kubernetes/place.ts keeps. */
  daemon(): Promise<DaemonIdentity | undefined>;
  read(): Promise<Owner | undefined>;
  objects(): Promise<readonly NamedObject[]>;
  /** Claims the name; its objects of a replaced state make room. @returns the valid claim, which may be that of a faster state */
  write(mine: Owner, before: Owner | undefined, replaces: boolean): Promise<Owner>;
  remove(): Promise<void>;
}

/** Objects and owners of a stack's name. */
export interface Holding {
  readonly identity: Identity | undefined;
  readonly daemon: DaemonIdentity | undefined;
  readonly claim: Owner | undefined;
  readonly objects: () => Promise<readonly NamedObject[]>;
  /** Undefined when the stack belongs to this checkout, or does not exist. */
  readonly other: KnownOwner | undefined;
}

async function holdingOf(stack: string, store: ClaimStore): Promise<Holding> {
  const [identity, daemon, claim] = await Promise.all([readIdentity(stackPaths(stack)), store.daemon(), store.read()]);
  let found: Promise<readonly NamedObject[]> | undefined;
  const objects = (): Promise<readonly NamedObject[]> => (found ??= store.objects());
  const other =
    claim === undefined
      ? ownerByLabels(
          (await objects()).map(({ state }) => state),
          identity,
        )
      : await otherByClaim(stack, claim, identity, objects);
  return { identity, daemon, claim, objects, other };
}

async function otherByClaim(
  stack: string,
  claim: Owner,
  identity: Identity | undefined,
  objects: Holding["objects"],
): Promise<KnownOwner | undefined> {
  if (claim.state === identity?.state) return (await isCopied(stack, claim)) ? claim : undefined;
  // A claim without objects, from a failed run in a checkout that no longer exists.
  return (await isGone(claim)) && (await objects()).length === 0 ? undefined : claim;
}

/** @throws Failure when the state belongs to another Docker daemon */
function refuseOtherDaemon(stack: string, { identity, daemon }: Holding): void {
  if (identity?.daemon === undefined || daemon === undefined || identity.daemon.id === daemon.id) return;
  throw new Failure(
    `The stack ${stack} is on the Docker daemon ${identity.daemon.name}, and this is the Docker daemon ${daemon.name}`,
    {
      remedy:
        `point DOCKER_HOST or the Docker context to that daemon again, or use another name for a stack on this one (--stack NAME). ` +
        `If that daemon no longer exists, \`npm run up -- --adopt${stackOption(stack)}\` creates the stack on this one.`,
    },
  );
}

/** @throws Failure when the stack is on another daemon, or belongs to another state */
async function refuse(stack: string, { where }: ClaimStore, holding: Holding): Promise<void> {
  refuseOtherDaemon(stack, holding);
  if (holding.other === undefined) return;
  const data = (await holding.objects()).filter(({ isData }) => isData);
  throw belongsToAnother(stack, holding.other, { where, dataNames: data.map(({ name }) => name).toSorted() });
}

/** Labels for objects that a command on a running stack creates. @throws Failure for a stack of another daemon or state */
export async function requireOwn(stack: string, store: ClaimStore): Promise<Readonly<Record<string, string>>> {
  const { identity } = await requireOwnOrAdopt(stack, store, false);
  return identity === undefined ? {} : { [stateLabel]: identity.state };
}

/** Checks the owner before a stack is removed. @throws Failure for a stack of another daemon or state that is not to be adopted */
export async function requireOwnOrAdopt(stack: string, store: ClaimStore, adopt: boolean): Promise<Holding> {
  const holding = await holdingOf(stack, store);
  if (!adopt) await refuse(stack, store, holding);
  return holding;
}

/** Data is only readable with the secrets of its creation, and these are in the state. @param place such as `The Docker daemon` */
export const foreignData = (stack: string, place: string, names: readonly string[], remedy: string): Failure =>
  new Failure(
    `${place} has data of a stack named ${stack} (${names.join(", ")}) whose secrets are not in this checkout's .routeql/${stack}`,
    { remedy },
  );

async function refuseForeignData(stack: string, { objects, other, identity }: Holding): Promise<void> {
  const isForeign = ({ state }: NamedObject): boolean => state === undefined || state !== identity?.state;
  const foreign = (await objects()).filter((object) => object.isData && isForeign(object)).map(({ name }) => name);
  if (foreign.length === 0) return;
  const folder = other?.folder
    ? `${other.folder}/.routeql/${stack}`
    : `.routeql/${stack} of the checkout that created it`;
  const remedy = `copy ${folder} here to keep using the data, use another name (--stack NAME), or delete the data permanently: npm run down -- --volumes --adopt${stackOption(stack)}`;
  throw foreignData(stack, "The Docker daemon", foreign, remedy);
}

/** Result of {@link checkOwnership}. */
export interface Permit {
  /** Of the state; new for a new stack. */
  readonly identity: Identity;
  /** Another state owns the name, and this state replaces it. */
  readonly replaces: boolean;
  /** The claim that was found. */
  readonly claim?: Owner | undefined;
}

/** Checks the owner before anything is built. @throws Failure for a stack of another daemon or state, and for another state's data */
export async function checkOwnership(stack: string, store: ClaimStore, adopt: boolean): Promise<Permit> {
  const holding = await holdingOf(stack, store);
  const { identity: known, daemon, claim, other } = holding;
  // Foreign data is the more severe problem, and adopting does not solve it.
  if (adopt || other === undefined) await refuseForeignData(stack, holding);
  if (!adopt) await refuse(stack, store, holding);
  const identity = { ...(known ?? newIdentity()), ...(daemon === undefined ? {} : { daemon }) };
  return { identity, claim, replaces: other !== undefined || (claim !== undefined && claim.state !== identity.state) };
}

/** Claims the stack's name for this state before anything is created. @throws Failure when another was faster */
export async function claimStack(
  stack: string,
  paths: StackPaths,
  store: ClaimStore,
  { identity, replaces, claim }: Permit,
): Promise<void> {
  const mine = thisCheckout(identity.state);
  await keepIdentity(paths, identity);
  const before = await store.read();
  if (before !== undefined && (Object.keys(mine) as (keyof Owner)[]).every((key) => before[key] === mine[key])) return;
  // Claimed by another state since the check, while this one built its images.
  if (before !== undefined && before.state !== mine.state && before.state !== claim?.state)
    throw belongsToAnother(stack, before, { where: store.where });
  const made = await store.write(mine, before, replaces);
  if (made.state !== mine.state) throw belongsToAnother(stack, made, { where: store.where });
}

/** Releases the name once nothing is left: the next run may use another daemon. */
export async function releaseStack(paths: StackPaths, store: ClaimStore): Promise<void> {
  await store.remove();
  const identity = await readIdentity(paths);
  if (identity !== undefined) await keepIdentity(paths, { state: identity.state });
}
