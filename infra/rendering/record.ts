/**
 * Runs Pulumi code without an engine and records what it asks for: for rendering, and for the tests beside the components.
 * @module
 */
import { runtime } from "@pulumi/pulumi";

export interface RecordedResource {
  readonly type: string;
  readonly name: string;
  /** As the provider would get them: a secret is wrapped (`secretSignature`), and so is what contains one. */
  readonly inputs: Readonly<Record<string, unknown>>;
}

/** Pulumi's form of a secret between the program and the engine. */
export const secretSignature = "4dabf18193072939515e22adb298388d";

export interface RecordOptions {
  readonly stack: string;
  readonly preview: boolean;
  /** What a provider would compute, besides the inputs. */
  readonly answers: (type: string, name: string) => Readonly<Record<string, unknown>>;
}

/**
 * Runs `program` in a stack of its own and gives everything that it registered, in order.
 * @throws what the program throws
 */
export async function recordResources(program: () => unknown, { stack, preview, answers }: RecordOptions): Promise<RecordedResource[]> {
  const resources: RecordedResource[] = [];
  await runtime.setMocks(
    {
      newResource({ type, name, inputs }) {
        const given = inputs as Record<string, unknown>;
        resources.push({ type, name, inputs: given });
        return { id: `${name}-id`, state: { ...given, ...answers(type, name) } };
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
