/** The command line: `hasura-checks init lint permissions diff`. */
import { parseArgs } from "node:util";
import { type Command, exitCodes, type Given, type Option, type Terminal } from "./cli/command.ts";
import { terminalText, withoutCommands } from "./cli/terminal-text.ts";
import { UsageError } from "./cli/usage-error.ts";
import { diff } from "./verbs/diff.ts";
import { init } from "./verbs/init.ts";
import { lint } from "./verbs/lint.ts";
import { permissions } from "./verbs/permissions.ts";
import { version } from "./version.ts";

export const commands: readonly Command[] = [init, lint, permissions, diff];

/** Older names of verbs. */
const aliases: Readonly<Record<string, string>> = { check: "lint" };

function ownTerminal(): Terminal {
  // A reader such as `head` can close the pipe. The exit code stays the same.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  return {
    directory: process.cwd(),
    environment: process.env,
    colours: process.stdout.isTTY && process.env["NO_COLOR"] === undefined && process.env["TERM"] !== "dumb",
    out: (text) => process.stdout.write(`${terminalText(text)}\n`),
    err: (text) => process.stderr.write(`${terminalText(withoutCommands(text))}\n`),
  };
}

/** Runs the tool. @returns the exit code */
export async function main(args: readonly string[], terminal: Terminal = ownTerminal()): Promise<number> {
  const [named, ...rest] = args;
  const verb = aliases[named ?? ""] ?? named;
  if (verb !== named) terminal.err(`hint: the verb ${named ?? ""} is now ${verb ?? ""}`);
  if (verb === "--version") {
    terminal.out(version);
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
    terminal.out(command === undefined ? toolHelp(commands) : commandHelp(command));
    return verb === undefined ? exitCodes.unusable : exitCodes.fine;
  }
  if (command === undefined) {
    terminal.err(`hasura-checks has no verb ${verb}; there are ${commands.map(({ name }) => name).join(", ")}`);
    return exitCodes.unusable;
  }
  try {
    return await command.run(readArguments(command, rest), terminal);
  } catch (error) {
    const isKnown = error instanceof UsageError;
    terminal.err(
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
    const folder = /^Unexpected argument '(.+)'$/.exec(reason)?.[1];
    throw new UsageError(
      folder === undefined
        ? `${reason}; see hasura-checks ${command.name} --help`
        : `${reason}; did you mean --metadata ${folder}?`,
    );
  }
  return {
    text: (name) => (typeof values[name] === "string" ? values[name] : undefined),
    texts: (name) => (Array.isArray(values[name]) ? (values[name] as readonly string[]) : []),
    flag: (name) => values[name] === true,
  };
}

const helpWidth = 100;

/** Breaks a text into lines that start at a column. */
function wrapped(text: string, indent: number): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    if (line !== "" && indent + line.length + 1 + word.length > helpWidth) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].join(`\n${" ".repeat(indent)}`);
}

const label = (name: string, { type, value }: Option) => `--${name}${type === "string" ? ` ${value ?? "TEXT"}` : ""}`;

export function commandHelp(command: Command): string {
  const options = Object.entries(command.options);
  const column = 4 + Math.max(...options.map(([name, option]) => label(name, option).length));
  return [
    `${command.usage}\n`,
    ...command.description.split("\n\n").map((paragraph) => `${wrapped(paragraph, 0)}\n`),
    "Options:",
    ...options.map(([name, option]) => `  ${label(name, option).padEnd(column - 2)}${wrapped(option.help, column)}`),
    "",
    "Exit codes:",
    `  0   ${wrapped(command.outcomes[0], 6)}`,
    `  1   ${wrapped(command.outcomes[1], 6)}`,
    "  2   wrong call or failure; the reason is on standard error",
    "",
    "Examples:",
    ...command.examples.flatMap(([example, what]) => [`  # ${what}`, `  ${example}`]),
  ].join("\n");
}

export function toolHelp(commands: readonly Command[]): string {
  const column = 4 + Math.max(...commands.map(({ name }) => name.length));
  return [
    "hasura-checks VERB [options]\n",
    wrapped(
      "Checks for the metadata of Hasura v2. They need the metadata directory and, for some, a database with its migrations. They need no running Hasura, and store nothing in the database.",
      0,
    ),
    "",
    ...commands.map(({ name, summary }) => `  ${name.padEnd(column - 2)}${wrapped(summary, column)}`),
    "",
    "`hasura-checks VERB --help` has the details. A file hasura-checks.yaml in the working directory can contain recurring options,",
    "the session variables of tokens, and exceptions from rules with reasons.",
    "",
    "Exit codes: 0 no errors or warnings, 1 at least one, 2 wrong call or failure.",
  ].join("\n");
}
