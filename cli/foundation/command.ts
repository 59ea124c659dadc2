import type { CommandDescription, ParsedArguments } from "./arguments.ts";

/** One `npm run` command. */
export interface Command {
  readonly description: CommandDescription;
  /** Prints the help of the called program instead of the command's description. */
  readonly help?: () => Promise<void>;
  /** Resolves to the exit code. */
  readonly run: (stack: string, args: ParsedArguments) => Promise<number>;
}
