import type { Problem } from "@routeql/engine";
import { dropInconsistent } from "@routeql/engine/metadata-api/inconsistencies";
import type { Command } from "./cases.ts";
import { commands } from "./commands/commands.ts";
import { insertStatement } from "./insert-statement.ts";
import { type Json, record } from "./json.ts";
import { modernCommand } from "./modern-command.ts";
import { qualified } from "./qualified-name.ts";
import { type Source, Sources } from "./sources.ts";

/** A command of Hasura's API without a counterpart in the runner. */
export class UnknownCommand extends Error {}

export interface SqlStep {
  readonly database: string;
  readonly sql: string;
}

/** Commands without effect on queries: after each command the databases are read again. */
const withoutEffect: ReadonlySet<string> = new Set([
  "set_permission_comment",
  "set_relationship_comment",
  "export_metadata",
  "reload_metadata",
  "reload_source",
  "get_inconsistent_metadata",
  "drop_inconsistent_metadata",
]);

/** Builds the metadata from Hasura's API commands, and returns the SQL that they run. */
export class MetadataBuilder {
  readonly #sources = new Sources();
  /** Properties common to all sources. */
  #shared: Json = {};

  /** Databases that the sources need. */
  get databases(): readonly string[] {
    return this.#sources.databases;
  }

  merged(): Json {
    return structuredClone({ ...this.#shared, version: 3, sources: this.#sources.all });
  }

  /** Removes objects that no longer match the database, as Hasura does with dependants of dropped objects. */
  drop(problems: readonly Problem[]): void {
    this.#adopt(record(dropInconsistent(this.merged(), problems)));
  }

  /**
   * Applies a command; its SQL must run before the engine loads the metadata.
   * @throws UnknownCommand; EngineError for a command that Hasura rejects before it queries the database
   */
  apply(command: Command): readonly SqlStep[] {
    const args = record(command.args);
    const type = command.type.replace(/^pg_/, "");
    if (withoutEffect.has(type)) return [];
    if (type === "run_sql") return [{ database: this.#sources.databaseOf(args), sql: String(args["sql"]) }];
    if (type === "insert") {
      const rows = (args["objects"] as Json[]).map((row) => insertStatement(qualified(args["table"]), row));
      return [{ database: this.#sources.databaseOf(args), sql: rows.join("\n") }];
    }
    if (type === "replace_metadata") this.#adopt(structuredClone(record(args["metadata"] ?? args)));
    else if (type === "clear_metadata") this.#clear();
    else if (!this.#sources.change(type, args)) this.#run(type, command.args);
    return [];
  }

  #run(type: string, args: unknown): void {
    const modern = modernCommand(type, args);
    const change = commands.get(modern.type);
    if (change === undefined) throw new UnknownCommand(`no counterpart for the command ${type}`);
    this.#adopt(change(this.merged(), modern.args));
  }

  #adopt({ sources, ...shared }: Readonly<Json>): void {
    this.#sources.adopt((sources as readonly Source[] | undefined) ?? []);
    this.#shared = shared;
  }

  #clear(): void {
    this.#sources.clear();
    this.#shared = {};
  }
}
