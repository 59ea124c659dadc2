import { PulumiCommand } from "@pulumi/pulumi/automation/index.js";
import { Failure, messageOf } from "../foundation/failure.ts";
import { runToEnd } from "../foundation/process.ts";

interface CommandResult {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number;
}

/** How the Automation API runs its CLI; internal there, hence described here (sdk/nodejs/automation/cmd.ts of pulumi/pulumi). */
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

/**
 * Lets the Automation API run its CLI in a process group of its own. Otherwise a Ctrl-C at the terminal would reach the CLI twice, from the terminal
 * and from the API, and the second one makes it drop its work.
 */
export function inOwnProcessGroup(command: PulumiCommand, onLine: (line: string) => void): PulumiCommand {
  const runnable = command as unknown as Runnable;
  runnable.run = async (args, workingDirectory, environment, onOutput, onError, signal) => {
    const { PATH: path = process.env.PATH } = environment;
    const result = await runToEnd(runnable.command, [...args, "--non-interactive"], {
      workingDirectory,
      environment: { ...process.env, ...environment, PATH: path, PULUMI_AUTOMATION_API: "true" },
      onLine: args[0] === "stack" && args.includes("--show-secrets") ? undefined : onLine,
      signal,
      interruptWith: "SIGINT",
    });
    onOutput?.(result.stdout);
    onError?.(result.stderr);
    if (result.code !== 0) {
      signal?.throwIfAborted();
      throw new PulumiFailure(args[0] ?? "", result);
    }
    return result;
  };
  return command;
}

/** The CLI ended with an error. */
export class PulumiFailure extends Failure {
  readonly result: CommandResult;

  constructor(subcommand: string, result: CommandResult) {
    super(`pulumi ${subcommand} failed`, { lastLines: errorLines(`${result.stderr}\n${result.stdout}`) });
    this.result = result;
  }
}

const errorLines = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "" && !line.startsWith("View Live"))
    .slice(-25);

/** Whether the CLI says that there is no stack of this name. */
export const isNoStack = (error: unknown): boolean => /no stack named|not found/.test(messageOf(error)) || (error instanceof PulumiFailure && /no stack named/.test(error.result.stderr));
