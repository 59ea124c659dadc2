import { z } from "zod";
import { qualifiedName } from "@routeql/metadata/read/shape-parts";
import { cascade, command, object, present, refusal, source, type Command, type Json } from "./change.ts";
import { dependents } from "./dependents.ts";
import { known, knownSource, nameText, trackedAt, withItem, without, withValue, type Placed } from "./places.ts";

const named = z.strictObject({ schema: z.string().default("public"), name: z.string() }).transform((table) => ({ source: "default", table, configuration: undefined, is_enum: undefined }));

export const trackedTable = z.union([
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

export const untrackedTable = z.strictObject({ source, table: qualifiedName, cascade });

/** @throws EngineError */
export function track(metadata: Json, { source: name, table, is_enum: isEnum, ...rest }: z.output<typeof trackedTable>): Placed {
  const owner = knownSource(metadata, name);
  if (trackedAt(metadata, name, "table", table) !== undefined) throw refusal("already-tracked", `view/table already tracked: "${nameText(table)}"`);
  if (trackedAt(metadata, name, "function", table) !== undefined) throw refusal("not-supported", `function with name "${nameText(table)}" already exists`);
  return withItem(metadata, [...owner, "tables"], { table, ...present(rest), ...(isEnum === true ? { is_enum: true } : {}) });
}

/** @throws EngineError */
export function untrack(metadata: Json, { source: name, table }: z.output<typeof untrackedTable>): Json {
  const path = trackedAt(metadata, name, "table", table);
  if (path === undefined) throw refusal("already-untracked", `view/table already untracked: "${nameText(table)}"`);
  return without(metadata, path);
}

export const tableCommands: Readonly<Record<string, Command>> = {
  track_table: command(trackedTable, track),

  untrack_table: command(untrackedTable, (metadata, args) => ({ metadata: untrack(metadata, args), ...dependents(args.cascade) })),

  set_table_customization: command(z.strictObject({ source, table: qualifiedName, configuration: object }), (metadata, args) => {
    const path = known(metadata, args.source, "table", args.table);
    return { metadata: withValue(metadata, [...path, "configuration"], args.configuration), object: path };
  }),

  set_table_is_enum: command(z.strictObject({ source, table: qualifiedName, is_enum: z.boolean() }), (metadata, args) => {
    const path = known(metadata, args.source, "table", args.table);
    return { metadata: withValue(metadata, [...path, "is_enum"], args.is_enum), object: path };
  }),
};
