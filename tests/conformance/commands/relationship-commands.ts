import { z } from "zod";
import type { MergedPath } from "@routeql/metadata/read/load";
import { qualifiedName } from "@routeql/metadata/read/shape-parts";
import { cascade, command, comment, object, present, refusal, source, type Command, type Json } from "./change.ts";
import { itemAt, known, nameText, withItem, without, withValue } from "./places.ts";

const lists = ["object_relationships", "array_relationships"] as const;

/** Place of a table's relationship. @throws EngineError `not-exists` */
function relationshipAt(metadata: Json, table: MergedPath, name: string): MergedPath {
  const path = lists
    .map((list) => itemAt(metadata, [...table, list], "name", name))
    .find((found) => found !== undefined);
  if (path === undefined) throw refusal("not-exists", `relationship "${name}" does not exist`);
  return path;
}

/** Whether the metadata gives a table a field of this name; columns are checked with the database. */
function hasField(metadata: Json, table: MergedPath, name: string): boolean {
  return [...lists, "computed_fields", "remote_relationships"].some(
    (list) => itemAt(metadata, [...table, list], "name", name) !== undefined,
  );
}

function create(list: (typeof lists)[number]): Command {
  return command(
    z.strictObject({ source, table: qualifiedName, name: z.string(), using: object, comment }),
    (metadata, { source: owner, table, name, ...rest }) => {
      const path = known(metadata, owner, "table", table);
      if (hasField(metadata, path, name))
        throw refusal("already-exists", `field with name "${name}" already exists in table "${nameText(table)}"`);
      return withItem(metadata, [...path, list], { name, ...present(rest) });
    },
  );
}

export const relationshipCommands: Readonly<Record<string, Command>> = {
  create_object_relationship: create("object_relationships"),
  create_array_relationship: create("array_relationships"),

  drop_relationship: command(
    z.strictObject({ source, table: qualifiedName, relationship: z.string(), cascade }),
    (metadata, args) =>
      without(metadata, relationshipAt(metadata, known(metadata, args.source, "table", args.table), args.relationship)),
  ),

  rename_relationship: command(
    z.strictObject({ source, table: qualifiedName, name: z.string(), new_name: z.string() }),
    (metadata, { source: owner, table, name, new_name: next }) => {
      const path = known(metadata, owner, "table", table);
      const object = relationshipAt(metadata, path, name);
      if (hasField(metadata, path, next)) {
        const message = `cannot rename relationship "${name}" to "${next}" in table "${nameText(table)}" as a column/relationship with the name already exists`;
        throw refusal("already-exists", message);
      }
      return withValue(metadata, [...object, "name"], next);
    },
  ),

  set_relationship_comment: command(
    z.strictObject({ source, table: qualifiedName, relationship: z.string(), comment }),
    (metadata, args) => {
      const object = relationshipAt(metadata, known(metadata, args.source, "table", args.table), args.relationship);
      return withValue(metadata, [...object, "comment"], args.comment ?? null);
    },
  ),
};
