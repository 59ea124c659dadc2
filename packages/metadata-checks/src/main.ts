/**
 * The command line: `hasura-checks init | lint | permissions | diff`.
 * @module
 */
import { parseArgs } from "node:util";
import { type Command, exitCodes, type Given, type Surroundings } from "./cli/command.ts";
import { commandHelp, toolHelp } from "./cli/help.ts";
import { UsageError } from "./cli/usage-error.ts";
import { diff } from "./verbs/diff.ts";
import { init } from "./verbs/init.ts";
import { lint } from "./verbs/lint.ts";
import { permissions } from "./verbs/permissions.ts";
import { version } from "./version.ts";

export const commands: readonly Command[] = [init, lint, permissions, diff];

/** Older names of verbs. */
const aliases: Readonly<Record<string, string>> = { check: "lint" };

function terminal(): Surroundings {
  // A reader such as `head` can close the pipe. The exit code stays the same.
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
  const [named, ...rest] = args;
  const verb = aliases[named ?? ""] ?? named;
  if (verb !== named) surroundings.err(`hint: the verb ${named ?? ""} is now ${verb ?? ""}`);
  if (verb === "--version") {
    surroundings.out(version);
    return exitCodes.fine;
  }
  const command =
    commands.find(({ name }) => name === verb) ??
    (verb === "help" ? commands.find(({ name }) => name === rest[0]) : undefined);
  const help =
    verb === undefined ||
    verb === "help" ||
    verb === "--help" ||
    verb === "-h" ||
    rest.includes("--help") ||
    rest.includes("-h");
  if (help && (command !== undefined || verb === undefined || !commands.some(({ name }) => name === verb))) {
    surroundings.out(command === undefined ? toolHelp(commands) : commandHelp(command));
    return verb === undefined ? exitCodes.unusable : exitCodes.fine;
  }
  if (command === undefined) {
    surroundings.err(`hasura-checks has no verb ${verb}; there are ${commands.map(({ name }) => name).join(", ")}`);
    return exitCodes.unusable;
  }
  try {
    return await command.run(readArguments(command, rest), surroundings);
  } catch (error) {
    const isKnown = error instanceof UsageError;
    surroundings.err(
      `hasura-checks ${command.name}: ${isKnown ? error.message : `this tool failed: ${(error as Error).stack ?? String(error)}\nReport it with the metadata.`}`,
    );
    return exitCodes.unusable;
  }
}

/** Reads the arguments of a verb. @throws UsageError for unknown options */
function readArguments(command: Command, args: readonly string[]): Given {
  const options = Object.fromEntries(
    Object.entries(command.options).map(([name, { type, multiple }]) => [name, { type, multiple: multiple === true }]),
  );
  let values: Readonly<Record<string, unknown>>;
  try {
    values = parseArgs({ args: [...args], options, allowPositionals: false, strict: true }).values;
  } catch (error) {
    const [reason = ""] = (error as Error).message.split(". ");
    throw new UsageError(`${reason}; see hasura-checks ${command.name} --help`);
  }
  return {
    text: (name) => (typeof values[name] === "string" ? values[name] : undefined),
    texts: (name) => (Array.isArray(values[name]) ? (values[name] as readonly string[]) : []),
    flag: (name) => values[name] === true,
  };
}
