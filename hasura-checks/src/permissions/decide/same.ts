import type { DeclaredAccess, DeclaredPermission, DeclaredTable } from "../../declared/declared.ts";
import type { DeclaredWrite } from "../../declared/writes.ts";

/** The content of a select permission without its role. */
export const described = (permission: DeclaredPermission | undefined): unknown =>
  permission === undefined
    ? null
    : [
        permission.columns,
        [...permission.cells],
        permission.filter,
        permission.limit,
        permission.aggregates,
        [...permission.operations],
      ];

export const relatedTables = (access: DeclaredAccess, table: DeclaredTable): readonly DeclaredTable[] =>
  [...access.tables.values()].filter(
    ({ key, relationships }) =>
      table.relationships.some(({ target }) => target === key) ||
      relationships.some(({ target }) => target === table.key),
  );

/** A key that is equal for roles with the same write permission, and the same permissions around it. */
export function sameWrite(access: DeclaredAccess, { role, ...write }: DeclaredWrite): string {
  const table = access.tables.get(write.table);
  const around = table === undefined ? [] : [table, ...relatedTables(access, table)];
  const writes = access.writes.filter((other) => other.role === role);
  return JSON.stringify([
    write,
    around.map(({ key }) => [
      described(access.permission(role, key)),
      writes.flatMap(({ role: _role, ...other }) => (other.table === key ? [other] : [])),
    ]),
    // A deletion can remove rows of further tables.
    write.operation === "delete" ? writes.flatMap((other) => (other.operation === "delete" ? [other.table] : [])) : [],
  ]);
}
