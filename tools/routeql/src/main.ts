/**
 * The command line: `routeql check | diff | permissions`.
 * @module
 */
import { type Command, exitCodes, type Surroundings } from "./cli/command.ts";
import { readArguments } from "./cli/given.ts";
import { commandHelp, toolHelp } from "./cli/help.ts";
import { UsageError } from "./cli/usage-error.ts";
import { check } from "./verbs/check.ts";
import { diff } from "./verbs/diff.ts";
import { permissions } from "./verbs/permissions.ts";
import { version } from "./version.ts";

export const commands: readonly Command[] = [permissions, check, diff];

function terminal(): Surroundings {
  // Whoever reads may have seen enough, as `head` has: the exit code still tells what was found.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  return {
    directory: process.cwd(),
    environment: process.env,
    colours: process.stdout.isTTY && process.env["NO_COLOR"] === undefined && process.env["TERM"] !== "dumb",
    out: (text) => process.stdout.write(`${text}\n`),
    err: (text) => process.stderr.write(`${text}\n`),
  };
}

/** Runs the tool. @returns the exit code */
export async function main(args: readonly string[], surroundings: Surroundings = terminal()): Promise<number> {
  const [verb, ...rest] = args;
  if (verb === "--version") {
    surroundings.out(version);
    return exitCodes.fine;
  }
  const command = commands.find(({ name }) => name === verb) ?? (verb === "help" ? commands.find(({ name }) => name === rest[0]) : undefined);
  const help = verb === undefined || verb === "help" || verb === "--help" || verb === "-h" || rest.includes("--help") || rest.includes("-h");
  if (help && (command !== undefined || verb === undefined || !commands.some(({ name }) => name === verb))) {
    surroundings.out(command === undefined ? toolHelp(commands) : commandHelp(command));
    return verb === undefined ? exitCodes.unusable : exitCodes.fine;
  }
  if (command === undefined) {
    surroundings.err(`routeql has no verb ${verb}; there are ${commands.map(({ name }) => name).join(", ")}`);
    return exitCodes.unusable;
  }
  try {
    return await command.run(readArguments(command, rest), surroundings);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    surroundings.err(`routeql ${command.name}: ${error.message}`);
    return exitCodes.unusable;
  }
}
