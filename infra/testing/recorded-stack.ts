/**
 * Runs Pulumi code against mocks and records what it registers, for the tests beside the components.
 * @module
 */
import { runtime } from "@pulumi/pulumi";
import { answers } from "./answers.ts";

export interface RecordedResource {
  readonly type: string;
  readonly name: string;
  /** As the provider would get them: a secret is a `SecretValue`, and so is what contains one. */
  readonly inputs: Readonly<Record<string, unknown>>;
}

/** Pulumi's form of a secret between the program and the engine. */
export const secretSignature = "4dabf18193072939515e22adb298388d";

export interface RunOptions {
  readonly stack?: string;
  readonly preview?: boolean;
  /** Other outputs of some resources, by name. */
  readonly outputs?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/**
 * Runs `program` in a stack of its own and gives everything that it registered, in order.
 * @throws what the program throws
 */
export async function recordStack(
  program: () => unknown,
  { stack = "local", preview = false, outputs = {} }: RunOptions = {},
): Promise<RecordedResource[]> {
  const resources: RecordedResource[] = [];
  await runtime.setMocks(
    {
      newResource({ type, name, inputs }) {
        const given = inputs as Record<string, unknown>;
        resources.push({ type, name, inputs: given });
        return { id: `${name}-id`, state: { ...given, ...answers(type, name), ...outputs[name] } };
      },
      call: ({ inputs }) => inputs as Record<string, unknown>,
    },
    "routeql",
    stack,
    preview,
  );
  try {
    await program();
  } finally {
    await runtime.disconnect();
  }
  return resources;
}

/** The one resource of a type with a name. */
export function find(resources: readonly RecordedResource[], type: string, name: string): RecordedResource {
  const found = resources.filter((resource) => resource.type === type && resource.name === name);
  if (found.length !== 1 || found[0] === undefined) throw new Error(`${found.length} resources are ${type} ${name}.`);
  return found[0];
}
