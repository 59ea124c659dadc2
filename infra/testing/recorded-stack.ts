/**
 * Runs Pulumi code with mocks and records its resources, for the tests beside the components.
 * @module
 */
import { recordResources } from "../rendering/record.ts";
import type { RecordedResource } from "../rendering/record.ts";
import { answers } from "./answers.ts";

export { secretSignature } from "../rendering/record.ts";
export type { RecordedResource } from "../rendering/record.ts";

export interface RunOptions {
  readonly stack?: string;
  readonly preview?: boolean;
  /** Other outputs of some resources, by name. */
  readonly outputs?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/**
 * Runs `program` in its own stack and returns all registered resources in order.
 * @throws errors of the program
 */
export function recordStack(
  program: () => unknown,
  { stack = "local", preview = false, outputs = {} }: RunOptions = {},
): Promise<RecordedResource[]> {
  return recordResources(program, {
    stack,
    preview,
    answers: (type, name) => ({ ...answers(type, name), ...outputs[name] }),
  });
}

/** The one resource of a type with a name. */
export function find(resources: readonly RecordedResource[], type: string, name: string): RecordedResource {
  const found = resources.filter((resource) => resource.type === type && resource.name === name);
  if (found.length !== 1 || found[0] === undefined) throw new Error(`${found.length} resources are ${type} ${name}.`);
  return found[0];
}

/** Names of the resources whose inputs differ between two runs. */
export function changed(before: readonly RecordedResource[], after: readonly RecordedResource[]): string[] {
  const texts = (resources: readonly RecordedResource[]): Map<string, string> =>
    new Map(resources.map(({ type, name, inputs }) => [`${type.split(":").at(-1)} ${name}`, JSON.stringify(inputs)]));
  const old = texts(before);
  return [...texts(after)]
    .filter(([key, value]) => old.get(key) !== value)
    .map(([key]) => key)
    .toSorted();
}
