import { columnsHeldToSession, isAlwaysTrue, mentionsSession } from "./conditions.ts";
import {
  columnsOf,
  type Examined,
  type Found,
  isTrusted,
  listed,
  permissionsOf,
  type PlacedWrite,
  type Rule,
  writesOf,
} from "./rule.ts";

const verbs = { insert_permissions: "insert", update_permissions: "update", delete_permissions: "delete" } as const;

const beside =
  (write: PlacedWrite) => (other: { readonly role: string; readonly source: string; readonly key: string }) =>
    other.role === write.role && other.source === write.source && other.key === write.key;

export const writeWiderThanRead: Rule = {
  id: "write-wider-than-read",
  severity: "warning",
  finds: "a role that may update or delete rows that it may not read",
  why: "The select permission is bound to the session and the write permission is not: a client can change rows of other users.",
  remedy: "use the filter of the select permission for the write permission, or add an exception with the reason",
  find: (examined) =>
    writesOf(examined).flatMap((write): Found[] => {
      const { kind, permission, at, role, key } = write;
      if (kind === "insert_permissions" || permission["backend_only"] === true || isTrusted(role, examined)) return [];
      const select = permissionsOf(examined).find(beside(write));
      if (
        select === undefined ||
        !mentionsSession(select.permission.filter) ||
        !isAlwaysTrue(permission["filter"] ?? {}, columnsOf(write, examined))
      )
        return [];
      return [
        {
          at: [...at, "filter"],
          table: key,
          role,
          reason: `${role} may ${verbs[kind]} every row of ${key}, and may read only the rows of its session`,
        },
      ];
    }),
};

export const ownerPresetMissing: Rule = {
  id: "owner-preset-missing",
  severity: "warning",
  finds: "a role that may insert rows in the name of another user or tenant",
  why: "The role's other permissions recognise a row by a column that is compared with the session. A client that sets this column can create a row for any user.",
  remedy:
    "set the column by a preset (set: {COLUMN: X-Hasura-...}) and remove it from the columns, or bind it in the check",
  find: (examined) =>
    writesOf(examined).flatMap((write): Found[] => {
      const { kind, permission, at, role, key } = write;
      if (kind !== "insert_permissions" || permission["backend_only"] === true || isTrusted(role, examined)) return [];
      const { check, columns, set } = permission;
      if (mentionsSession(check)) return [];
      const presets = Object.keys(set ?? {});
      const free = ownerColumns(write, examined).filter(
        (column) =>
          !presets.includes(column) && (columns === "*" || (Array.isArray(columns) && columns.includes(column))),
      );
      return free.length === 0
        ? []
        : [
            {
              at: [...at, "columns"],
              table: key,
              role,
              name: free[0] ?? "",
              reason: `${role} may insert rows into ${key} with any ${listed(free)}, the column by which its other permissions select rows`,
            },
          ];
    }),
};

/** Columns that the other permissions of the role on the table compare with the session. */
function ownerColumns(write: PlacedWrite, examined: Examined): readonly string[] {
  const reads = permissionsOf(examined)
    .filter(beside(write))
    .map(({ permission }) => permission.filter);
  const writes = writesOf(examined)
    .filter((other) => other.kind !== "insert_permissions" && beside(write)(other))
    .map(({ permission }) => permission["filter"]);
  return [...new Set([...reads, ...writes].flatMap(columnsHeldToSession))];
}
