import { z } from "zod";
import type { MergedPath } from "@routeql/metadata/read/load";
import { command, comment, object, present, refusal, source, type Command, type Json } from "./change.ts";
import { itemAt, listAt, sourceAt, valueAt, withItem, without, withValue } from "./places.ts";

/** @throws EngineError `not-found` */
function ownerOf(metadata: Json, name: string, message = `Source '${name}' of kind postgres not found.`): MergedPath {
  const path = sourceAt(metadata, name);
  if (path === undefined) throw refusal("not-found", message);
  return path;
}

/** Place of a native query. @throws EngineError `not-found` */
function queryAt(metadata: Json, owner: string, name: string): MergedPath {
  const path = itemAt(
    metadata,
    [...ownerOf(metadata, owner, `Source "${owner}" not found.`), "native_queries"],
    "root_field_name",
    name,
  );
  if (path === undefined) throw refusal("not-found", `Native query "${name}" not found in source "${owner}".`);
  return path;
}

/** Place of a logical model. @throws EngineError `not-found` */
function modelAt(metadata: Json, owner: string, name: string): MergedPath {
  const path = itemAt(
    metadata,
    [...ownerOf(metadata, owner, `Source "${owner}" not found.`), "logical_models"],
    "name",
    name,
  );
  if (path === undefined) throw refusal("not-found", `Logical model "${name}" not found in source "${owner}".`);
  return path;
}

const aboutModel = {
  source,
  type: z.enum(["logical_model", "native_query"]).default("logical_model"),
  name: z.string(),
  role: z.string().min(1),
};

/** Place of the permissions of a logical model, or of a native query's inline model; undefined when it has none. @throws EngineError */
function permissionsAt(
  metadata: Json,
  {
    source: owner,
    type,
    name,
  }: { readonly source: string; readonly type: "logical_model" | "native_query"; readonly name: string },
): MergedPath | undefined {
  if (type === "logical_model") return [...modelAt(metadata, owner, name), "select_permissions"];
  const own = [...queryAt(metadata, owner, name), "returns"];
  return typeof valueAt(metadata, own) === "object" ? [...own, "select_permissions"] : undefined;
}

export const nativeCommands: Readonly<Record<string, Command>> = {
  track_native_query: command(
    z.strictObject({
      source: z.string(),
      root_field_name: z.string(),
      code: z.string(),
      returns: z.union([z.string(), object]),
      arguments: object.nullish(),
      description: z.string().nullish(),
      object_relationships: z.array(z.unknown()).nullish(),
      array_relationships: z.array(z.unknown()).nullish(),
      /** Older consoles send `query` here. */
      type: z.string().nullish(),
    }),
    (metadata, { source: name, type: _type, ...query }) => {
      const list = [...ownerOf(metadata, name), "native_queries"];
      if (itemAt(metadata, list, "root_field_name", query.root_field_name) !== undefined)
        throw refusal("already-tracked", `Native query '${query.root_field_name}' is already tracked.`);
      return withItem(metadata, list, present(query));
    },
  ),

  untrack_native_query: command(z.strictObject({ source: z.string(), root_field_name: z.string() }), (metadata, args) =>
    without(metadata, queryAt(metadata, args.source, args.root_field_name)),
  ),

  track_logical_model: command(
    z.strictObject({
      source: z.string(),
      name: z.string(),
      description: z.string().nullish(),
      fields: z.array(z.unknown()),
    }),
    (metadata, { source: name, ...model }) => {
      const list = [...ownerOf(metadata, name, `Source ${name} not found.`), "logical_models"];
      if (itemAt(metadata, list, "name", model.name) !== undefined)
        throw refusal("already-tracked", `Logical model '${model.name}' is already tracked.`);
      return withItem(metadata, list, present(model));
    },
  ),

  untrack_logical_model: command(
    z.strictObject({ source: z.string(), name: z.string() }),
    (metadata, { source: owner, name }) => {
      const path = sourceAt(metadata, owner);
      const user = path && listAt(metadata, [...path, "native_queries"]).find(({ returns }) => returns === name);
      if (user !== undefined)
        throw refusal(
          "constraint-violation",
          `Logical model "${name}" still being used by native query "${String(user["root_field_name"])}".`,
        );
      return without(metadata, modelAt(metadata, owner, name));
    },
  ),

  create_logical_model_select_permission: command(
    z.strictObject({ ...aboutModel, permission: object, comment }),
    (metadata, { role, permission, comment: said, ...model }) => {
      const list = permissionsAt(metadata, model);
      return list === undefined
        ? metadata
        : withItem(metadata, list, present({ role, permission, comment: said }), "role");
    },
  ),

  drop_logical_model_select_permission: command(z.strictObject(aboutModel), (metadata, { role, ...model }) => {
    const list = permissionsAt(metadata, model);
    return list === undefined
      ? metadata
      : withValue(
          metadata,
          list,
          listAt(metadata, list).filter((permission) => permission["role"] !== role),
        );
  }),
};
