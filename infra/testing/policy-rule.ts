/** A policy: a name, a reason and a check of the inputs of a recorded resource. */
/** Replaces a secret value: rules may know that it exists, but not its content. */
export const hidden = Symbol("secret");

/** A resource's inputs with secrets hidden and without unknown values. */
export type Inputs = Readonly<Record<string, unknown>>;

export interface PlannedResource {
  /** `docker:index/container:Container`, `kubernetes:apps/v1:Deployment`, … */
  readonly type: string;
  readonly name: string;
  readonly inputs: Inputs;
}

export interface Rule {
  /** Lower-case words with hyphens. */
  readonly name: string;
  /** One sentence. */
  readonly description: string;
  /** All problems, each the end of a sentence that begins with the resource; empty if there are none. */
  readonly violations: (resource: PlannedResource) => readonly string[];
}

export const recordOf = (value: unknown): Inputs =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Inputs) : {};

export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

export const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as readonly unknown[]) : [];

/** A container of any resource type, in its provider's terms. */
export interface Workload {
  readonly kind: "docker" | "kubernetes";
  /** Name within the resource; empty on Docker, where the container is the resource. */
  readonly name: string;
  readonly container: Inputs;
  /** Kubernetes: settings that all containers of the pod share. */
  readonly pod: Inputs;
}

export const isDockerContainer = ({ type }: PlannedResource): boolean => type === "docker:index/container:Container";

const pods: readonly (readonly [RegExp, (inputs: Inputs) => unknown])[] = [
  [/^kubernetes:core\/v1:Pod$/, ({ spec }) => spec],
  [
    /^kubernetes:(apps\/v1:(Deployment|StatefulSet|DaemonSet|ReplicaSet)|batch\/v1:Job)$/,
    ({ spec }) => recordOf(recordOf(spec)["template"])["spec"],
  ],
  [
    /^kubernetes:batch\/v1:CronJob$/,
    ({ spec }) => recordOf(recordOf(recordOf(recordOf(spec)["jobTemplate"])["spec"])["template"])["spec"],
  ],
];

/** The pod of a Kubernetes resource; undefined for resources without pods. */
export function podOf({ type, inputs }: PlannedResource): Inputs | undefined {
  const find = pods.find(([pattern]) => pattern.test(type))?.[1];
  return find === undefined ? undefined : recordOf(find(inputs));
}

export function workloadsOf(resource: PlannedResource): readonly Workload[] {
  if (isDockerContainer(resource)) return [{ kind: "docker", name: "", container: resource.inputs, pod: {} }];
  const pod = podOf(resource);
  if (pod === undefined) return [];
  return ["initContainers", "containers", "ephemeralContainers"]
    .flatMap((list) => listOf(pod[list]))
    .map((item) => {
      const container = recordOf(item);
      return { kind: "kubernetes" as const, name: textOf(container["name"]), container, pod };
    });
}

/** `the container nginx ` for a resource with several containers, as the start of a sentence. */
export const subject = ({ name }: Workload): string => (name === "" ? "" : `the container ${name} `);
