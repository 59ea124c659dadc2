import { type Owner, stackLabel, stateLabel } from "../ownership.ts";
import { dockerClient, orUndefined } from "./client.ts";

type Labels = Readonly<Record<string, string>>;

export interface StackObject {
  readonly kind: "container" | "network" | "volume";
  /** Of a volume: its name. */
  readonly id: string;
  readonly name: string;
  readonly labels: Labels;
}

/**
 * Everything on the Docker daemon that a stack of this name has created. Other programs with the same stack name use other object names.
 * @param prefix of the names: component and stack
 */
export async function stackObjects(
  stack: string,
  docker = dockerClient(),
  prefix = `routeql-${stack}`,
): Promise<StackObject[]> {
  const filters = { label: [`${stackLabel}=${stack}`] };
  const [containers, networks, { Volumes: volumes }] = await Promise.all([
    docker.listContainers({ all: true, filters }),
    docker.listNetworks({ filters }),
    docker.listVolumes({ filters }),
  ]);
  const all: StackObject[] = [
    ...containers.map(({ Id, Names, Labels }) => ({
      kind: "container" as const,
      id: Id,
      name: Names[0]?.slice(1) ?? Id,
      labels: Labels,
    })),
    ...networks.map(({ Id, Name, Labels }) => ({
      kind: "network" as const,
      id: Id,
      name: Name,
      labels: (Labels ?? {}) as Labels,
    })),
    ...volumes.map(({ Name, Labels }) => ({ kind: "volume" as const, id: Name, name: Name, labels: Labels ?? {} })),
  ];
  return all.filter(({ name }) => name.startsWith(`${prefix}-`));
}

export const isData = ({ kind, labels }: StackObject): boolean =>
  kind === "volume" && labels["com.routeql.run"] === "data";

/** The claim of a state: an empty volume whose labels name the checkout, since labels of data volumes are immutable. */
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
