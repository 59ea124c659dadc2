import type { CommandOutput } from "./opened-database.ts";

/** An invalid command line; the message has all problems. */
export class UsageError extends Error {}

/** Options that npm has too: its own settings may contain them, so they say nothing about the command line. */
const npmsOwn: ReadonlySet<string> = new Set(["email", "help", "key"]);

/**
 * The option that npm took from `npm run COMMAND --OPTION`: without `--` before it, the option becomes a setting of npm, and the command
 * would run without it, such as on another stack.
 * @param help the command's help text, with a line for each option
 */
export function optionTakenByNpm(
  help: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): { readonly name: string; readonly remedy: string } | undefined {
  for (const [, name = ""] of help.matchAll(/^ {2}(?:-\w, )?--([a-z][a-z-]*)/gm))
    if (!npmsOwn.has(name) && environment[`npm_config_${name.replaceAll("-", "_")}`] !== undefined)
      return {
        name,
        remedy: `write \`--\` before the options: npm run ${environment["npm_lifecycle_event"] ?? "COMMAND"} -- --${name} …`,
      };
  return undefined;
}

/** Reads a command's arguments and prints its help; `read` returns undefined for that. @returns the arguments, or the exit code */
export function readArguments<Arguments extends object>(
  help: string,
  read: () => Arguments | undefined,
  { stdout, stderr }: CommandOutput,
): Arguments | number {
  try {
    const taken = optionTakenByNpm(help);
    if (taken) throw new UsageError(`npm took the option --${taken.name}: ${taken.remedy}`);
    const given = read();
    if (given !== undefined) return given;
    stdout.write(help);
    return 0;
  } catch (error) {
    // The errors of node:util's parseArgs.
    const isUsage = error instanceof UsageError || (error instanceof TypeError && "code" in error);
    if (!isUsage) throw error;
    stderr.write(`${error.message}\n\n${help}`);
    return 2;
  }
}
