/**
 * Whose stack is this? A stack belongs to the Pulumi state whose identity its objects have as a label. A claim keeps its name: a volume on Docker
 * (docker/stack-objects.ts), a ConfigMap in a cluster (kubernetes/stack-objects.ts). cli/ownership/ownership.ts decides before a command works
 * on a stack; these checks decide for a single object.
 */

/** Labels of everything that a stack creates: its name, and the identity of the state that created it. */
export const stackLabel = "com.routeql.stack";
export const stateLabel = "com.routeql.state";

/** The checkout whose state owns a stack. */
export interface Owner {
  readonly state: string;
  readonly folder: string;
  readonly host: string;
  readonly user: string;
}

/** The known facts of a stack's owner: all from a claim, only the state from labels, nothing for objects without them. */
export type KnownOwner = Partial<Owner>;

export function describeOwner({ folder, host, user, state }: KnownOwner): string {
  if (folder !== undefined && folder !== "") return `the checkout ${folder} (host ${host}, user ${user})`;
  return state === undefined ? "a program that recorded no state" : `another Pulumi state (${state})`;
}

/** Whether an object with this label belongs to the owner; every object belongs to an undefined one. */
export const isOf = (owner: string | undefined, label: string | undefined): boolean =>
  owner === undefined || label === owner;

type Labels = Readonly<Record<string, string>> | null | undefined;

/** @throws Error with the resource's name if another state created it */
export function refuseOtherState(what: string, name: string, wanted: Labels, found: Labels): void {
  const [mine, other] = [wanted?.[stateLabel], found?.[stateLabel]];
  if (other === undefined || mine === undefined || other === mine) return;
  throw new Error(
    `a ${what} named ${name} already exists and belongs to another Pulumi state (${other}); use another stack name, or remove it`,
  );
}

/** @throws Error with the name of the conflicting resource */
export function assertOurs(what: string, name: string, wanted: Labels, found: Labels): void {
  refuseOtherState(what, name, wanted, found);
  const ours = wanted?.[stackLabel];
  if (ours !== undefined && found?.[stackLabel] === ours) return;
  throw new Error(`a ${what} named ${name} already exists and does not belong to this stack; remove or rename it`);
}
