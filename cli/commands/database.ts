/** The commands that run a program of database/ on the stack's database. A program is loaded only when its command runs. */
import type { OpenDatabase, OpenedDatabase } from "@routeql/database-access/opened-database";
import { openDatabase } from "../database/open-database.ts";
import type { Command } from "../foundation/command.ts";
import type { DatabaseRole } from "../pulumi/outputs.ts";

export const load = databaseCommand({
  name: "load",
  summary: "Loads routing updates into the stack's database.",
  operands: "[OPTIONS…] FILE…",
  role: "loader",
  program: async (args, open) => (await import("@routeql/routing/commands/load")).loadCommand(args, open),
});

export const detect = databaseCommand({
  name: "detect",
  summary: "Finds hijacks of configured prefixes among the loaded updates and records them.",
  operands: "[OPTIONS…] CONFIG.yaml",
  role: "loader",
  program: async (args, open) => (await import("@routeql/routing/commands/detect")).detectCommand(args, open),
});

export const feed = databaseCommand({
  name: "feed",
  summary: "Replays recorded routing updates at the pace of their times.",
  operands: "--replay FILE… [OPTIONS…]",
  role: "loader",
  program: async (args, open) => (await import("@routeql/routing/commands/feed")).feedCommand(args, open),
});

export const vrps = databaseCommand({
  name: "vrps",
  summary: "Reads the payloads of an RPKI validator and validates the origins of hijacks.",
  operands: "[--fewer] FILE|ADDRESS",
  role: "loader",
  program: async (args, open) => (await import("@routeql/routing/commands/vrps")).vrpsCommand(args, open),
});

export const prune = databaseCommand({
  name: "prune",
  summary: "Deletes old routing updates that belong to no hijack, and old audit events.",
  operands: "[--keep-days N] [--keep-audit-days N] [--dry-run]",
  role: "owner",
  program: async (args, open) => (await import("@routeql/database/prune/command")).pruneCommand(args, open),
});

export const fill = databaseCommand({
  name: "fill",
  summary: "Assigns positions to updates that were stored before an upgrade, so that view_bgpupdates_log shows them.",
  operands: "",
  role: "owner",
  program: async (args, open) => (await import("@routeql/database/fill/command")).fillCommand(args, open),
});

interface DatabaseCommand {
  readonly name: string;
  readonly summary: string;
  readonly operands: string;
  readonly role: DatabaseRole;
  /** The program of database/. It parses its own arguments and prints its own help. Returns the exit code. */
  readonly program: (args: readonly string[], open: OpenDatabase) => Promise<number>;
}

/** A command that passes all arguments but the stack's name to a program for the stack's database. */
function databaseCommand({ name, summary, operands, role, program }: DatabaseCommand): Command {
  return {
    description: { name, summary, operands, options: {}, passesOn: true },
    help: async () => void (await program(["--help"], () => Promise.reject(new Error("help needs no database")))),
    run: (stack, args, signal) => program(args.rest, () => openUntil(signal, () => openDatabase(stack, role))),
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
