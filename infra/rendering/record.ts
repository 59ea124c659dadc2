/** Runs Pulumi code without an engine and records its resources: for rendering, and for the tests beside the components. */
import { runtime } from "@pulumi/pulumi";
import { projectName } from "@routeql/host/paths";

export interface RecordedResource {
  readonly type: string;
  readonly name: string;
  /** Inputs as the provider receives them: secrets, and objects that contain one, are wrapped (`secretSignature`). */
  readonly inputs: Readonly<Record<string, unknown>>;
}

/** Pulumi's form of a secret between the program and the engine. */
export const secretSignature = "4dabf18193072939515e22adb298388d";

export interface RecordOptions {
  readonly stack: string;
  /** Default: this project. */
  readonly project?: string;
  readonly preview: boolean;
  /** Outputs that a provider would compute, except the inputs. */
  readonly answers: (
    type: string,
    name: string,
    inputs: RecordedResource["inputs"],
  ) => Readonly<Record<string, unknown>>;
}

/** Runs `program` in its own stack and returns all registered resources in order. @throws errors of the program */
export async function recordResources(
  program: () => unknown,
  { stack, project = projectName, preview, answers }: RecordOptions,
): Promise<RecordedResource[]> {
  const resources: RecordedResource[] = [];
  await runtime.setMocks(
    {
      newResource({ type, name, inputs }) {
        const given = inputs as Record<string, unknown>;
        resources.push({ type, name, inputs: given });
        return { id: `${name}-id`, state: { ...given, ...answers(type, name, given) } };
      },
      call: ({ inputs }) => inputs as Record<string, unknown>,
    },
    project,
    stack,
    preview,
    "organization",
  );
  try {
    await program();
  } finally {
    await runtime.disconnect();
  }
  return resources;
}
