import { createRequire } from "node:module";
import { CommandError } from "@pulumi/pulumi/automation/errors.js";
import type { PulumiCommand } from "@pulumi/pulumi/automation/index.js";
import { daemonEnvironment } from "@routeql/host/docker/daemon-address";
import { Failure } from "@routeql/host/failure";
import type { StackPaths } from "@routeql/host/paths";
import { runToEnd } from "@routeql/host/process";
import { type PluginKind, pulumiHome } from "./plugins.ts";
import { offline } from "../offline.ts";
import { inheritedEnvironment } from "./environment.ts";

/** A URL, because folder names may contain characters that are special in URLs. */
export const backendOf = (paths: StackPaths): string =>
  `file://${paths.state.replaceAll(/[%#?]/g, encodeURIComponent)}`;

/** Environment of the CLI for a stack: state in a folder of the checkout, no account, no update check. */
export const cliEnvironment = (paths: StackPaths): Record<string, string> => ({
  PULUMI_HOME: pulumiHome(),
  PULUMI_BACKEND_URL: backendOf(paths),
  // `storedDeployment` reads the state's file.
  PULUMI_DIY_BACKEND_GZIP: "false",
  PULUMI_CONFIG_PASSPHRASE_FILE: paths.passphrase,
  PULUMI_SKIP_UPDATE_CHECK: "true",
  PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
  // Limits the CLI's own encrypted logs, one per call; the run log has the relevant lines.
  PULUMI_LOG_ROTATION_MAX_AGE_DAYS: "1",
  PULUMI_LOG_ROTATION_MAX_TOTAL_MB: "20",
  ROUTEQL_NODE: process.execPath,
  // The official Docker provider ignores Docker contexts.
  ...daemonEnvironment(),
});

// Commands that only read outputs also report its errors. Imported from the submodule, because the package's index takes a third of a
// second to load.

interface CommandResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

/** Creates the error classes of the Automation API; internal to it (errors.ts). */
const { createCommandError } = createRequire(import.meta.url)("@pulumi/pulumi/automation/errors.js") as {
  createCommandError: (result: CommandResult) => CommandError;
};

/** The command that the Automation API runs; internal to it, hence declared here (sdk/nodejs/automation/cmd.ts of pulumi/pulumi). */
interface Runnable {
  readonly command: string;
  run: (
    args: string[],
    workingDirectory: string,
    environment: Record<string, string>,
    onOutput?: (text: string) => void,
    onError?: (text: string) => void,
    signal?: AbortSignal,
  ) => Promise<CommandResult>;
}

/** CLI commands that change or compare resources. */
const withProviders: ReadonlySet<string | undefined> = new Set(["up", "preview", "refresh", "destroy"]);

/** Runs Pulumi's CLI in its own process group: a Ctrl-C that reaches it twice, also from the API, would abort its work. */
export function inOwnProcessGroup(
  command: PulumiCommand,
  plugins: PluginKind,
  onLine: (line: string) => void,
): PulumiCommand {
  const runnable = command as unknown as Runnable;
  runnable.run = async (args, workingDirectory, environment, onOutput, onError, signal) => {
    const { PATH: path = process.env.PATH } = environment;
    const own = { ...inheritedEnvironment(), ...environment, PATH: path, PULUMI_AUTOMATION_API: "true" };
    const replacements = plugins === "stand-in" && withProviders.has(args[0]) ? await offline() : undefined;
    await using standIns = await replacements?.startPlugins(own, onLine);
    const result = await runToEnd(runnable.command, [...args, "--non-interactive"], {
      workingDirectory,
      environment: { ...own, ...standIns?.environment },
      onStart: standIns?.serve,
      onLine: args[0] === "stack" && args.includes("--show-secrets") ? undefined : onLine,
      signal,
      interruptWith: "SIGINT",
    });
    onOutput?.(result.stdout);
    onError?.(result.stderr);
    if (result.code !== 0) {
      signal?.throwIfAborted();
      throw createCommandError(result);
    }
    return result;
  };
  return command;
}

/** The failure of a command whose passphrase does not open the stack's secrets. @param output of Pulumi's CLI; undefined for another failure */
export function passphraseFailure(output: string, cause: unknown, environment = process.env): Failure | undefined {
  if (!/incorrect passphrase|passphrase must be set|PULUMI_CONFIG_PASSPHRASE_FILE/.test(output)) return undefined;
  // Version 0.1.0 let this variable take the place of the file.
  const former =
    environment["PULUMI_CONFIG_PASSPHRASE"] === undefined
      ? ""
      : "if this shell's PULUMI_CONFIG_PASSPHRASE was set when the stack was created, write its value into .routeql/<stack>/passphrase. Otherwise ";
  return new Failure("The file `passphrase` in the stack's state folder does not open the secrets of its state", {
    remedy: `${former}put the former file back from a copy of .routeql/<stack>. Without a copy, follow docs/operate/troubleshoot.md#the-disk-died for a lost state folder.`,
    cause,
  });
}

/** Converts an error of the Automation API to the CLI's output. Returns any other error unchanged. */
export function asFailure(error: unknown): unknown {
  if (!(error instanceof CommandError)) return error;
  const { stdout, stderr } = (error as unknown as { commandResult: CommandResult }).commandResult;
  const lines = `${stdout}\n${stderr}`
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "");
  const closed = passphraseFailure(stderr, error);
  if (closed !== undefined) return closed;
  return new Failure("The Pulumi command failed", { lastLines: lines.slice(-25), cause: error });
}
