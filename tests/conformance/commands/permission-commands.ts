import { z } from "zod";
import { qualifiedName } from "@routeql/metadata/read/shape-parts";
import { command, comment, object, present, refusal, source, type Command } from "./change.ts";
import { itemAt, known, nameText, withItem, without, withValue } from "./places.ts";

const kinds = ["insert", "select", "update", "delete"] as const;
type Kind = (typeof kinds)[number];

const role = z.string().min(1);

function create(kind: Kind): Command {
  return command(
    z.strictObject({ source, table: qualifiedName, role, permission: object, comment }),
    (metadata, args) => {
      const list = [...known(metadata, args.source, "table", args.table), `${kind}_permissions`];
      if (args.role === "admin" || itemAt(metadata, list, "role", args.role) !== undefined) {
        throw refusal(
          "already-exists",
          `${kind} permission already defined on table "${nameText(args.table)}" with role "${args.role}"`,
        );
      }
      return withItem(metadata, list, present({ role: args.role, permission: args.permission, comment: args.comment }));
    },
  );
}

function drop(kind: Kind): Command {
  return command(z.strictObject({ source, table: qualifiedName, role }), (metadata, args) => {
    const path = itemAt(
      metadata,
      [...known(metadata, args.source, "table", args.table), `${kind}_permissions`],
      "role",
      args.role,
    );
    if (path === undefined)
      throw refusal(
        "permission-denied",
        `${kind} permission on "${nameText(args.table)}" for role "${args.role}" does not exist`,
      );
    return without(metadata, path);
  });
}

export const permissionCommands: Readonly<Record<string, Command>> = {
  ...Object.fromEntries(kinds.map((kind) => [`create_${kind}_permission`, create(kind)])),
  ...Object.fromEntries(kinds.map((kind) => [`drop_${kind}_permission`, drop(kind)])),

  set_permission_comment: command(
    z.strictObject({ source, table: qualifiedName, role, permission: z.enum(kinds), comment }),
    (metadata, args) => {
      const path = itemAt(
        metadata,
        [...known(metadata, args.source, "table", args.table), `${args.permission}_permissions`],
        "role",
        args.role,
      );
      if (path === undefined)
        throw refusal(
          "permission-denied",
          `'${args.permission}' permission on "${nameText(args.table)}" for role "${args.role}" does not exist`,
        );
      return withValue(metadata, [...path, "comment"], args.comment ?? null);
    },
  ),
};
