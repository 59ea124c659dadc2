import { listOf, recordOf, textOf } from "./rule.ts";
import type { Inputs, PlannedResource } from "./rule.ts";

/** A container of any kind of resource, in the terms of its provider. */
export interface Workload {
  readonly kind: "docker" | "kubernetes";
  /** Its name within the resource; empty for Docker, where it is the resource. */
  readonly name: string;
  readonly container: Inputs;
  /** Of Kubernetes, what it shares with the other containers of its pod. */
  readonly pod: Inputs;
}

export const isDockerContainer = ({ type }: PlannedResource): boolean => type === "docker:index/container:Container";

const pods: readonly (readonly [RegExp, (inputs: Inputs) => unknown])[] = [
  [/^kubernetes:core\/v1:Pod$/, ({ spec }) => spec],
  [/^kubernetes:(apps\/v1:(Deployment|StatefulSet|DaemonSet|ReplicaSet)|batch\/v1:Job)$/, ({ spec }) => recordOf(recordOf(spec)["template"])["spec"]],
  [/^kubernetes:batch\/v1:CronJob$/, ({ spec }) => recordOf(recordOf(recordOf(recordOf(spec)["jobTemplate"])["spec"])["template"])["spec"]],
];

/** The pod that a resource of Kubernetes runs; undefined for resources that run none. */
export function podOf({ type, inputs }: PlannedResource): Inputs | undefined {
  const find = pods.find(([pattern]) => pattern.test(type))?.[1];
  return find === undefined ? undefined : recordOf(find(inputs));
}

/** Every container that a resource runs. */
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

/** `the container nginx ` where a resource has several, so that a sentence can begin with it. */
export const subject = ({ name }: Workload): string => (name === "" ? "" : `the container ${name} `);
