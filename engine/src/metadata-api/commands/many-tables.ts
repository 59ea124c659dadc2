import { z } from "zod";
import { EngineError } from "../../errors.ts";
import type { MergedPath } from "@routeql/metadata/read/load";
import type { QualifiedName } from "@routeql/metadata/read/shape-parts";
import { withoutAll } from "@routeql/metadata/read/without";
import { inconsistentReason } from "../inconsistent-object.ts";
import { command, refusal, type Change, type Command, type Json } from "./change.ts";
import { dependents } from "./dependents.ts";
import { nameText, qualifiedAt, trackedAt } from "./places.ts";
import { track, trackedTable, untrack, untrackedTable } from "./table-commands.ts";

interface NamedTable {
  readonly source: string;
  readonly table: QualifiedName;
}

const listOf = <Entry extends z.ZodType>(entry: Entry) => z.strictObject({ tables: z.array(entry), allow_warnings: z.boolean().nullish() });

const nameOf = ({ source, table }: NamedTable): string => `${source}.${nameText(table)}`;

/** Problems that Hasura reports as warnings; the rest of the command succeeds. */
class Warnings {
  readonly #list: Json[] = [];
  readonly #what: "track" | "untrack";
  readonly #count: number;
  readonly #allowed: boolean;

  /** @throws EngineError when a table occurs twice */
  constructor(what: "track" | "untrack", tables: readonly NamedTable[], allowed: boolean) {
    const names = tables.map(nameOf);
    const twice = new Set(names.filter((name, index) => names.indexOf(name) !== index));
    if (twice.size > 0) throw refusal("bad-request", `The following tables occur more than once in the request: ${[...twice].sort().join(", ")}`, "$.args.tables");
    this.#what = what;
    this.#count = tables.length;
    this.#allowed = allowed;
  }

  add({ source, table }: NamedTable, message: string): void {
    this.#list.push({ code: `${this.#what}-table-failed`, message, name: `table ${nameText(table)} in source ${source}`, type: "table" });
  }

  /** The metadata after the work on one table; unchanged if the work is rejected. */
  attempt(metadata: Json, table: NamedTable, work: (metadata: Json) => Json): Json {
    try {
      return work(metadata);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      this.add(table, error.message);
      return metadata;
    }
  }

  answer(): Json {
    if (this.#list.length === this.#count) throw refusal("invalid-configuration", `all tables failed to ${this.#what}`, "$.args", this.#list);
    if (this.#list.length > 0 && !this.#allowed) throw refusal("metadata-warnings", "failed due to metadata warnings", "$.args", this.#list);
    return { message: "success", ...(this.#list.length > 0 ? { warnings: this.#list } : {}) };
  }
}

/**
 * Omits inconsistent tables again; undefined when another object is inconsistent.
 * @param before metadata without any of them
 */
function withoutUnfit(before: Json, tables: readonly NamedTable[], warnings: Warnings): NonNullable<Change["mend"]> {
  const added = new Map(tables.filter(({ source, table }) => trackedAt(before, source, "table", table) === undefined).map((table) => [nameOf(table), table]));
  return (metadata, unfit) => {
    const reasons = Map.groupBy(unfit, ({ at }) => added.get(tableAround(metadata, at) ?? ""));
    if (reasons.has(undefined)) return undefined;
    for (const [table, found] of reasons) if (table !== undefined) warnings.add(table, found.map(inconsistentReason).join(", "));
    return withoutAll(metadata, unfit.map(({ at }) => at.slice(0, 4))) as Json;
  };
}

function tableAround(metadata: Json, at: MergedPath): string | undefined {
  const [root, source, list, table] = at;
  if (root !== "sources" || source === undefined || list !== "tables" || table === undefined) return undefined;
  const name = (metadata["sources"] as readonly Json[])[Number(source)]?.["name"];
  return nameOf({ source: String(name), table: qualifiedAt(metadata, [root, source, list, table, "table"]) });
}

/** `track_tables` and `untrack_tables`: process as many of the tables as possible. */
export const manyTableCommands: Readonly<Record<string, Command>> = {
  track_tables: command(listOf(trackedTable), (metadata, { tables, allow_warnings: allowed }) => {
    const warnings = new Warnings("track", tables, allowed !== false);
    const tracked = tables.reduce((rest, table) => warnings.attempt(rest, table, (before) => track(before, table).metadata), metadata);
    return { metadata: tracked, mend: withoutUnfit(metadata, tables, warnings), answer: () => warnings.answer() };
  }),

  untrack_tables: command(listOf(untrackedTable), (metadata, { tables, allow_warnings: allowed }) => {
    const warnings = new Warnings("untrack", tables, allowed !== false);
    const rest = tables.reduce((before, table) => warnings.attempt(before, table, (given) => untrack(given, table)), metadata);
    // It is unknown which of the tables other objects depend on, so all of them must allow cascading.
    return { metadata: rest, ...dependents(tables.every(({ cascade }) => cascade)), answer: () => warnings.answer() };
  }),
};
