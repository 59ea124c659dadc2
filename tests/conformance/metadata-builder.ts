import type { Problem } from "@routeql/engine";
import { dropInconsistent } from "@routeql/engine/metadata-api/inconsistencies";
import type { Command } from "./cases.ts";
import { applyCommand } from "./commands.ts";
import { insertStatement } from "./insert-statement.ts";
import { type Json, record } from "./json.ts";
import { qualified } from "./qualified-name.ts";

/** A command of Hasura's API without a counterpart in the runner. */
export class UnknownCommand extends Error {}

/** Environment variable with the address of the cases' database. */
export const databaseVariable = "CONFORMANCE_DATABASE";

const empty = (): Json => ({
  version: 3,
  sources: [
    {
      name: "default",
      kind: "postgres",
      configuration: { connection_info: { database_url: { from_env: databaseVariable } } },
      tables: [],
    },
  ],
});

/** Builds the metadata of one source from Hasura's API commands, and returns the SQL that they run. */
export class MetadataBuilder {
  #metadata = empty();

  merged(): Json {
    return structuredClone(this.#metadata);
  }

  /** Removes objects that no longer match the database, as Hasura does with dependants of dropped objects. */
  drop(problems: readonly Problem[]): void {
    this.#metadata = record(dropInconsistent(this.#metadata, problems));
  }

  /**
   * Applies a command; its SQL must run before the engine loads the metadata.
   * @throws UnknownCommand; Error for a command that Hasura rejects before it queries the database
   */
  apply(command: Command): readonly string[] {
    const args = record(command.args);
    const type = command.type.replace(/^pg_/, "");
    if (type === "get_inconsistent_metadata") return [];
    if (type === "run_sql") return [String(args["sql"])];
    if (type === "insert")
      return (args["objects"] as Json[]).map((row) => insertStatement(qualified(args["table"]), row));
    const changed = type === "clear_metadata" ? empty() : this.merged();
    if (type !== "clear_metadata" && !applyCommand(changed, type, command.args))
      throw new UnknownCommand(`no counterpart for the command ${type}`);
    this.#metadata = changed;
    return [];
  }
}
