import { tablesOf, type Found, type Rule } from "./rule.ts";

const isEmpty = (value: unknown): boolean => value === undefined || value === null || (typeof value === "object" && Object.keys(value).length === 0);

interface Entry {
  readonly role?: unknown;
  readonly permission?: Readonly<Record<string, unknown>>;
}

const conditions = [
  ["insert_permissions", "check", "insert any row into"],
  ["update_permissions", "filter", "update every row of"],
  ["delete_permissions", "filter", "delete every row of"],
] as const;

/** Permissions to write are read as they stand: this kit serves none, but a team's metadata may have them. */
export const everyRowWritable: Rule = {
  id: "every-row-writable",
  severity: "error",
  finds: "a role that may insert, update or delete any row",
  why: "An empty filter on a permission to write lets one user change what belongs to all others.",
  remedy: "write a filter (for insert: a check) that ties the row to the session",
  find: (examined) =>
    tablesOf(examined).flatMap(({ raw, key, path }) =>
      conditions.flatMap(([kind, condition, what]): Found[] => {
        const entries = (Array.isArray(raw[kind]) ? raw[kind] : []) as readonly Entry[];
        return entries.flatMap(({ role, permission }, index) =>
          isEmpty(permission?.[condition])
            ? [{ at: [...path, kind, index, "permission", condition], table: key, role: String(role), reason: `${String(role)} may ${what} ${key}: the ${condition} is empty` }]
            : [],
        );
      }),
    ),
};
