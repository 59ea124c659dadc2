import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CommandOutput } from "./opened-database.ts";

/** An invalid command line; the message has all problems. */
export class UsageError extends Error {}

/** Options of all commands, so that one of another command is noticed too. A test compares them with the commands. */
export const optionsOfCommands: readonly string[] = [
  "adopt",
  "allow-unsupported",
  "as-announcements",
  "brief",
  "build",
  "database",
  "demo",
  "diff",
  "digests",
  "drift",
  "drill",
  "dry-run",
  "email",
  "fewer",
  "file",
  "fill-gap",
  "follow",
  "images",
  "json",
  "keep-audit-days",
  "keep-days",
  "keep-keys",
  "key",
  "latest",
  "lines",
  "max-age-days",
  "max-backup-age",
  "max-data-age",
  "metadata",
  "name",
  "new-organisation",
  "organisation",
  "out",
  "overlap",
  "provider",
  "recipient",
  "replace",
  "replay",
  "request-id",
  "role",
  "seed",
  "service",
  "since",
  "speed",
  "stack",
  "start",
  "tail",
  "test",
  "to",
  "to-time",
  "unauthenticated",
  "unchecked-directory",
  "variables",
  "volumes",
];

/** The environment of npm's scripts, as npm 9 to 11 fill it. */
type NpmEnvironment = Readonly<Record<string, string | undefined>>;

/** Whether a configuration file of npm sets the name: such a setting was not typed. */
function isConfigured(name: string, environment: NpmEnvironment): boolean {
  const {
    npm_config_userconfig: user,
    npm_config_globalconfig: global,
    npm_config_local_prefix: project,
  } = environment;
  const line = new RegExp(String.raw`^[ \t]*${name.replaceAll("-", "[-_]")}[ \t]*(=|$)`, "m");
  return [user, global, project && join(project, ".npmrc")].some((file) => {
    try {
      return file !== undefined && line.test(readFileSync(file, "utf8"));
    } catch {
      // Most of these files do not exist.
      return false;
    }
  });
}

/**
 * The option that npm took from `npm run COMMAND --OPTION`: without `--` before it, the option becomes a setting of npm, and the command
 * would run without it, such as on another stack.
 * @param help the command's help text, with a line for each option
 */
export function optionTakenByNpm(
  help: string,
  environment: NpmEnvironment = process.env,
): { readonly name: string; readonly remedy: string } | undefined {
  const own = [...help.matchAll(/^ {2}(?:-\w, )?--([a-z][a-z-]*)/gm)].map(([, name = ""]) => name);
  const taken = [...own, ...optionsOfCommands].find(
    (name) =>
      // npm itself answers `npm run up --help`.
      name !== "help" &&
      environment[`npm_config_${name.replaceAll("-", "_")}`] !== undefined &&
      !isConfigured(name, environment),
  );
  if (taken === undefined) return undefined;
  const command = environment["npm_lifecycle_event"] ?? "COMMAND";
  return { name: taken, remedy: `write \`--\` before the options: npm run ${command} -- --${taken} …` };
}

/** Prints the problem of invalid arguments and the next step. @returns the exit code */
function refuse(command: string, problem: string, remedy: string, stderr: CommandOutput["stderr"]): number {
  stderr.write(`\nFailed: ${command}: ${problem}\n\nWhat to do: ${remedy}\n`);
  return 2;
}

/** Reads a command's arguments and prints its help; `read` returns undefined for that. @returns the arguments, or the exit code */
export function readArguments<Arguments extends object>(
  help: string,
  read: () => Arguments | undefined,
  { stdout, stderr }: CommandOutput,
): Arguments | number {
  const [, command = ""] = /^npm run (\S+)/.exec(help) ?? [];
  try {
    const taken = optionTakenByNpm(help);
    if (taken) return refuse(command, `npm took the option --${taken.name}`, taken.remedy, stderr);
    const given = read();
    if (given !== undefined) return given;
    stdout.write(help);
    return 0;
  } catch (error) {
    // The errors of node:util's parseArgs.
    const isUsage = error instanceof UsageError || (error instanceof TypeError && "code" in error);
    if (!isUsage) throw error;
    // The advice of parseArgs about `--` names an operand that no command takes.
    const problem = error instanceof UsageError ? error.message : error.message.split(". ")[0]!;
    return refuse(command, problem, `\`npm run ${command} -- --help\` lists its options.`, stderr);
  }
}
