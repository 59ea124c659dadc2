import type { CommandOutput } from "./opened-database.ts";

/** An invalid command line; the message has all problems. */
export class UsageError extends Error {}

/** Reads a command's arguments and prints its help; `read` returns undefined for that. @returns the arguments, or the exit code */
export function readArguments<Arguments extends object>(
  help: string,
  read: () => Arguments | undefined,
  { stdout, stderr }: CommandOutput,
): Arguments | number {
  try {
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
