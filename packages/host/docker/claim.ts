/**
 * The claim of a state on a stack's name: an empty volume whose labels name the checkout. Labels of existing volumes are immutable, so
 * labels on data volumes cannot record a takeover or a moved folder.
 * @module
 */
import { dockerClient, orUndefined } from "./client.ts";
import { stateLabel } from "./stack-objects.ts";

/** The checkout whose state owns a stack. */
export interface Owner {
  readonly state: string;
  readonly folder: string;
  readonly host: string;
  readonly user: string;
}

const claimLabel = "com.routeql.claim";
const nameOf = (stack: string): string => `routeql-${stack}-claim`;

export async function readClaim(stack: string, docker = dockerClient()): Promise<Owner | undefined> {
  const volume = await orUndefined(docker.getVolume(nameOf(stack)).inspect());
  const {
    [stateLabel]: state,
    "com.routeql.folder": folder = "",
    "com.routeql.host": host = "",
    "com.routeql.user": user = "",
  } = volume?.Labels ?? {};
  return state === undefined ? undefined : { state, folder, host, user };
}

/** Creates the claim unless one exists. Returns the valid claim, which may belong to another state that was faster. */
export async function makeClaim(stack: string, { state, folder, host, user }: Owner): Promise<Owner> {
  const Labels = {
    [claimLabel]: stack,
    [stateLabel]: state,
    "com.routeql.folder": folder,
    "com.routeql.host": host,
    "com.routeql.user": user,
  };
  await dockerClient().createVolume({ Name: nameOf(stack), Labels });
  const made = await readClaim(stack);
  if (made === undefined)
    throw new Error(`the volume ${nameOf(stack)} exists, but is not a claim: remove it or rename the stack`);
  return made;
}

export async function removeClaim(stack: string): Promise<void> {
  await orUndefined(dockerClient().getVolume(nameOf(stack)).remove());
}
