import { EngineError } from "@routeql/engine/errors";
import { z } from "zod";
import { qualifiedName } from "@routeql/metadata/read/shape-parts";
import { cascade, command, object, present, refusal, source, type Command, type Json } from "./change.ts";
import { known, knownSource, nameText, trackedAt, withItem, without, withValue } from "./places.ts";

const named = z
  .strictObject({ schema: z.string().default("public"), name: z.string() })
  .transform((table) => ({ source: "default", table, configuration: undefined, is_enum: undefined }));

const trackedTable = z.union([
  z.strictObject({
    source,
    table: qualifiedName,
    configuration: object.nullish(),
    is_enum: z.boolean().nullish(),
    apollo_federation_config: object.nullish(),
    logical_model: z.string().nullish(),
  }),
  named,
]);

const untrackedTable = z.strictObject({ source, table: qualifiedName, cascade });

/** @throws EngineError */
function track(metadata: Json, { source: name, table, is_enum: isEnum, ...rest }: z.output<typeof trackedTable>): Json {
  const owner = knownSource(metadata, name);
  if (trackedAt(metadata, name, "table", table) !== undefined)
    throw refusal("already-tracked", `view/table already tracked: "${nameText(table)}"`);
  if (trackedAt(metadata, name, "function", table) !== undefined)
    throw refusal("not-supported", `function with name "${nameText(table)}" already exists`);
  return withItem(metadata, [...owner, "tables"], {
    table,
    ...present(rest),
    ...(isEnum === true ? { is_enum: true } : {}),
  });
}

/** @throws EngineError */
function untrack(metadata: Json, { source: name, table }: z.output<typeof untrackedTable>): Json {
  const path = trackedAt(metadata, name, "table", table);
  if (path === undefined) throw refusal("already-untracked", `view/table already untracked: "${nameText(table)}"`);
  return without(metadata, path);
}

/** Processes as many of the tables as possible; Hasura reports the others as warnings. @throws EngineError when every table fails */
function each<Table extends z.ZodType>(table: Table, work: (metadata: Json, table: z.output<Table>) => Json): Command {
  return command(
    z.strictObject({ tables: z.array(table), allow_warnings: z.boolean().nullish() }),
    (metadata, { tables, allow_warnings: allowed }) => {
      const problems: EngineError[] = [];
      const changed = tables.reduce<Json>((rest, one) => {
        try {
          return work(rest, one);
        } catch (error) {
          if (!(error instanceof EngineError)) throw error;
          problems.push(error);
          return rest;
        }
      }, metadata);
      if (tables.length > 0 && problems.length === tables.length)
        throw refusal(
          "invalid-configuration",
          `all tables failed: ${problems.map(({ message }) => message).join(", ")}`,
        );
      if (problems.length > 0 && allowed === false)
        throw refusal("metadata-warnings", "failed due to metadata warnings");
      return changed;
    },
  );
}

export const tableCommands: Readonly<Record<string, Command>> = {
  track_table: command(trackedTable, track),

  untrack_table: command(untrackedTable, untrack),

  track_tables: each(trackedTable, track),
  untrack_tables: each(untrackedTable, untrack),

  set_table_customization: command(
    z.strictObject({ source, table: qualifiedName, configuration: object }),
    (metadata, args) => {
      const path = known(metadata, args.source, "table", args.table);
      return withValue(metadata, [...path, "configuration"], args.configuration);
    },
  ),

  set_table_is_enum: command(
    z.strictObject({ source, table: qualifiedName, is_enum: z.boolean() }),
    (metadata, args) => {
      const path = known(metadata, args.source, "table", args.table);
      return withValue(metadata, [...path, "is_enum"], args.is_enum);
    },
  ),
};
