import { dockerClient } from "./client.ts";

/** Labels of everything that a stack creates on Docker: its name, and the identity of the state that created it. */
const stackLabel = "com.routeql.stack";
export const stateLabel = "com.routeql.state";

type Labels = Readonly<Record<string, string>>;

export interface StackObject {
  readonly kind: "container" | "network" | "volume";
  /** Of a volume: its name. */
  readonly id: string;
  readonly name: string;
  readonly labels: Labels;
}

/** Everything on the Docker engine that a stack of this name has created. Other programs with the same stack name use other object names. */
export async function stackObjects(stack: string, docker = dockerClient()): Promise<StackObject[]> {
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
  return all.filter(({ name }) => name.startsWith(`routeql-${stack}-`));
}

export const isData = ({ kind, labels }: StackObject): boolean =>
  kind === "volume" && labels["com.routeql.run"] === "data";
