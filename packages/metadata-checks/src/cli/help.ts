import type { Command, Option } from "./command.ts";

const width = 100;

/** Breaks a text into lines that start at a column. */
function wrapped(text: string, indent: number): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    if (line !== "" && indent + line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return [...lines, line].join(`\n${" ".repeat(indent)}`);
}

const label = (name: string, { type, value }: Option) => `--${name}${type === "string" ? ` ${value ?? "TEXT"}` : ""}`;

/** The text of `hasura-checks VERB --help`. */
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

/** The text of `hasura-checks --help`. */
export function toolHelp(commands: readonly Command[]): string {
  const column = 4 + Math.max(...commands.map(({ name }) => name.length));
  return [
    "hasura-checks VERB [options]\n",
    wrapped(
      "Checks for the metadata of Hasura v2. They need the metadata directory and, for some, a database with its migrations. They need no running Hasura, and never write to the database.",
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
