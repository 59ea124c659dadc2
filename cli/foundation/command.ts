import type { CommandDescription, ParsedArguments } from "./arguments.ts";

/** One `npm run` command. */
export interface Command {
  readonly description: CommandDescription;
  /** Prints the help of the program behind the command, in place of what its description gives. */
  readonly help?: () => Promise<void>;
  /** Resolves to the exit code. */
  readonly run: (stack: string, args: ParsedArguments) => Promise<number>;
}
