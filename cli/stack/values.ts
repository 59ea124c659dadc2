import { readdir } from "node:fs/promises";
import { stackPaths } from "@routeql/host/paths";
import { run } from "@routeql/host/process";
import { acquireCli } from "@routeql/providers/pulumi-cli/acquire";
import { Failure } from "@routeql/host/failure";
import { readOutputs, type StackValues } from "./outputs.ts";
import { cliEnvironment } from "./cli-environment.ts";

/**
 * The outputs of a running stack, read from its state.
 * @throws Failure when it is not running
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
  // Not through the Automation API: loading it, and its two calls with and without secrets, take longer than all other steps of a command.
  const { stdout } = await run(
    cli.command.command,
    ["stack", "output", "--json", "--show-secrets", "--stack", stack, "--non-interactive"],
    { environment: { ...process.env, ...cliEnvironment(paths) }, workingDirectory: paths.workspace },
  );
  return readOutputs(JSON.parse(stdout) as Readonly<Record<string, unknown>>, stack);
}
