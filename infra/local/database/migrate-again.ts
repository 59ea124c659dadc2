import { dockerClient } from "../docker/client.ts";
import { lastLogLines } from "../docker/logs.ts";
import { Failure } from "../foundation/failure.ts";

/**
 * Runs the stack's migrate job once more: migrations that are missing, and what each role may do.
 * @throws Failure with its last lines when it fails
 */
export async function runMigrations(stack: string): Promise<void> {
  const container = dockerClient().getContainer(`routeql-${stack}-migrate`);
  await container.start();
  const { StatusCode: code } = (await container.wait()) as { StatusCode: number };
  if (code === 0) return;
  throw new Failure(`The data are restored, but the migrate job ended with ${code}`, {
    lastLines: await lastLogLines(container, 20),
    remedy: "remove the cause, then run the restore again with --replace.",
  });
}
