import { readdir } from "node:fs/promises";
import { stackPaths } from "../foundation/paths.ts";
import { acquireCli } from "../pulumi-cli/acquire.ts";
import { Failure } from "../foundation/failure.ts";
import { readOutputs, type StackValues } from "./outputs.ts";
import { readStackOutputs } from "./workspace.ts";

/**
 * The outputs of a stack that is up, read from its state.
 * @throws Failure when it is not up
 */
export async function valuesOf(stack: string): Promise<StackValues> {
  const paths = stackPaths(stack);
  const states = await readdir(`${paths.state}/.pulumi/stacks/routeql`).catch(() => []);
  if (!states.some((name) => name.startsWith(`${stack}.json`))) {
    throw new Failure(`The stack ${stack} is not up`, {
      remedy: `run \`npm run up${stack === "local" ? "" : ` -- --stack ${stack}`}\`.`,
    });
  }
  const quiet = (): void => undefined;
  const cli = await acquireCli({ say: quiet, show: quiet, onLine: quiet, signal: new AbortController().signal });
  return readOutputs(await readStackOutputs(stack, cli), stack);
}
