import type { Metadata, TableMetadata } from "@routeql/metadata/read/shape";
import type { Filter } from "./permission.ts";
import { type DeclaredTable, keyOf } from "./tables.ts";

export const writeOperations = ["insert", "update", "delete"] as const;

/** The permission of a role to insert, update or delete rows of a table. */
export interface DeclaredWrite {
  readonly role: string;
  readonly table: string;
  readonly operation: (typeof writeOperations)[number];
  /** Columns that a client sets: names in the database, sorted; `*` for all columns without a catalogue. */
  readonly columns: readonly string[];
  /** Values that the permission sets, by column. */
  readonly presets: Readonly<Record<string, unknown>>;
  /** The rows that may be changed; undefined for insert. */
  readonly filter: Filter | undefined;
  /** A condition on the new rows; undefined without one. */
  readonly check: Filter | undefined;
  readonly backendOnly: boolean;
}

/** The write permissions of all roles. An inherited role has that of its parts if those with one agree, else none (as in Hasura). */
export function writesOf(
  entries: readonly TableMetadata[],
  tables: ReadonlyMap<string, DeclaredTable>,
  inherited: Metadata["inherited_roles"],
): readonly DeclaredWrite[] {
  return entries.flatMap((entry) => {
    const table = tables.get(keyOf(entry.table));
    if (table === undefined) return [];
    return writeOperations.flatMap((operation) => {
      const own = new Map(
        entry[`${operation}_permissions`].map(({ role, permission }) => {
          const columns = "columns" in permission ? permission.columns : [];
          const presets = "set" in permission ? permission.set : {};
          const write: DeclaredWrite = {
            role,
            table: table.key,
            operation,
            columns: (columns === "*" ? (table.types.size === 0 ? ["*"] : [...table.types.keys()]) : columns)
              .filter((column) => !(column in presets))
              .toSorted(),
            presets,
            filter: "filter" in permission ? permission.filter : undefined,
            check: "check" in permission ? (permission.check ?? undefined) : undefined,
            backendOnly: permission.backend_only,
          };
          return [role, write] as const;
        }),
      );
      // A set of roles may contain inherited roles that precede or follow it.
      for (let before = -1; before < own.size;) {
        before = own.size;
        for (const { role_name: role, role_set: parts } of inherited) {
          const found = new Map(
            parts.flatMap((part) => own.get(part) ?? []).map((write) => [JSON.stringify({ ...write, role }), write]),
          );
          const [only] = found.values();
          if (only !== undefined && found.size === 1 && !own.has(role)) own.set(role, { ...only, role });
        }
      }
      return [...own.values()];
    });
  });
}
