import { z } from "zod";
import { qualifiedName } from "@routeql/metadata/read/shape-parts";
import { cascade, command, comment, object, present, refusal, source, type Command } from "./change.ts";
import { itemAt, known, nameText, sourceAt, trackedAt, withItem, without, withValue } from "./places.ts";

const aboutFunction = { source, function: qualifiedName };
const permission = z.strictObject({ ...aboutFunction, role: z.string().min(1) });

export const functionCommands: Readonly<Record<string, Command>> = {
  track_function: command(
    z.strictObject({ ...aboutFunction, configuration: object.nullish(), comment }),
    (metadata, { source: name, ...rest }) => {
      const owner = sourceAt(metadata, name);
      if (owner === undefined) throw refusal("not-exists", `"${name}" is not a known postgres source`);
      const text = nameText(rest.function);
      if (trackedAt(metadata, name, "function", rest.function) !== undefined)
        throw refusal("already-tracked", `function already tracked: "${text}"`);
      if (trackedAt(metadata, name, "table", rest.function) !== undefined)
        throw refusal("not-supported", `table with name "${text}" already exists`);
      return withItem(metadata, [...owner, "functions"], present(rest));
    },
  ),

  untrack_function: command(
    z.union([
      z.strictObject(aboutFunction),
      z
        .strictObject({ schema: z.string().default("public"), name: z.string() })
        .transform((name) => ({ source: "default", function: name })),
    ]),
    (metadata, args) => ({ metadata: without(metadata, known(metadata, args.source, "function", args.function)) }),
  ),

  set_function_customization: command(z.strictObject({ ...aboutFunction, configuration: object }), (metadata, args) => {
    const path = known(metadata, args.source, "function", args.function);
    return withValue(metadata, [...path, "configuration"], args.configuration);
  }),

  create_function_permission: command(permission, (metadata, args) => {
    const list = [...known(metadata, args.source, "function", args.function), "permissions"];
    if (itemAt(metadata, list, "role", args.role) !== undefined) {
      throw refusal(
        "already-exists",
        `permission of role "${args.role}" already exists for function "${nameText(args.function)}" in source: "${args.source}"`,
      );
    }
    return withItem(metadata, list, { role: args.role });
  }),

  drop_function_permission: command(permission, (metadata, args) => {
    const owner = trackedAt(metadata, args.source, "function", args.function);
    const path = owner && itemAt(metadata, [...owner, "permissions"], "role", args.role);
    if (path === undefined) {
      throw refusal(
        "not-exists",
        `permission of role "${args.role}" does not exist for function "${nameText(args.function)}" in source: "${args.source}"`,
      );
    }
    return without(metadata, path);
  }),

  add_computed_field: command(
    z.strictObject({ source, table: qualifiedName, name: z.string(), definition: object, comment }),
    (metadata, { source: owner, table, ...field }) =>
      withItem(
        metadata,
        [...known(metadata, owner, "table", table, "$.args.table"), "computed_fields"],
        present(field),
        "name",
      ),
  ),

  drop_computed_field: command(
    z.strictObject({ source, table: qualifiedName, name: z.string(), cascade }),
    (metadata, args) => {
      const path = itemAt(
        metadata,
        [...known(metadata, args.source, "table", args.table, "$.args.table"), "computed_fields"],
        "name",
        args.name,
      );
      if (path === undefined)
        throw refusal("not-exists", `computed field "${args.name}" does not exist`, "$.args.name");
      return without(metadata, path);
    },
  ),
};
