import type { OpenDatabase, OpenedDatabase } from "@routeql/database/shared/opened-database";
import type { Command } from "../foundation/command.ts";
import { runInterruptibly } from "../commands/options.ts";
import type { DatabaseRole } from "../stack/outputs.ts";
import { openDatabase } from "./open-database.ts";

export interface DatabaseCommand {
  readonly name: string;
  readonly summary: string;
  readonly operands: string;
  /** Database role of the program's login. */
  readonly role: DatabaseRole;
  /** The program of database/. It parses its own arguments and prints its own help. Returns the exit code. */
  readonly program: (args: readonly string[], open: OpenDatabase) => Promise<number>;
}

/** A command that passes all arguments but the stack's name to a program for the stack's database. */
export function databaseCommand({ name, summary, operands, role, program }: DatabaseCommand): Command {
  return {
    description: { name, summary, operands, options: {}, passesOn: true },
    help: async () => void (await program(["--help"], () => Promise.reject(new Error("help needs no database")))),
    run: (stack, args) =>
      runInterruptibly((signal) => program(args.rest, () => openUntil(signal, () => openDatabase(stack, role)))),
  };
}

/** A database whose connection Ctrl-C cuts: Postgres rolls back uncommitted work. */
async function openUntil(signal: AbortSignal, open: OpenDatabase): Promise<OpenedDatabase> {
  const database = await open();
  const cut = (): Promise<void> => database.close().catch(() => undefined);
  if (signal.aborted) await cut();
  signal.throwIfAborted();
  signal.addEventListener("abort", () => void cut(), { once: true });
  return database;
}
