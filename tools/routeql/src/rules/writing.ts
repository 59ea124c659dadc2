import { columnsHeldToSession, conditionText, isAlwaysTrue } from "./conditions.ts";
import { type Found, isColumnOf, listed, type Rule, writesOf } from "./rule.ts";

const conditions = {
  insert_permissions: ["check", "insert any row into"],
  update_permissions: ["filter", "update every row of"],
  delete_permissions: ["filter", "delete every row of"],
} as const;

export const everyRowWritable: Rule = {
  id: "every-row-writable",
  severity: "error",
  finds: "a role that may insert, update or delete any row",
  why: "An empty filter on a permission to write, or one that holds for every row, lets one user change what belongs to all others.",
  remedy: "write a filter (for insert: a check) that ties the row to the session",
  find: (examined) =>
    writesOf(examined).flatMap((placed): Found[] => {
      const { kind, key, role, permission, at } = placed;
      const [condition, what] = conditions[kind];
      const value = permission[condition] ?? {};
      if (!isAlwaysTrue(value, isColumnOf(placed))) return [];
      return [{ at: [...at, condition], table: key, role, reason: `${role} may ${what} ${key}: the ${condition} ${conditionText(value)}` }];
    }),
};

export const rowGivenAway: Rule = {
  id: "row-given-away",
  severity: "error",
  finds: "an update permission that lets a role put its row under somebody else's name",
  why: "Hasura looks at the filter before the update alone; without a check, the column that ties the row to the session may be set to anything, and the row is then another user's or tenant's.",
  remedy: "take the column from the permission's columns, or add a check with the condition of the filter",
  find: (examined) =>
    writesOf(examined).flatMap(({ kind, key, role, permission, at, ...placed }): Found[] => {
      if (kind !== "update_permissions" || !isAlwaysTrue(permission["check"] ?? {}, isColumnOf({ key, ...placed }))) return [];
      const { columns } = permission;
      const set = Object.keys(permission["set"] ?? {});
      const free = columnsHeldToSession(permission["filter"]).filter((column) => !set.includes(column) && (columns === "*" || (Array.isArray(columns) && columns.includes(column))));
      if (free.length === 0) return [];
      return [{ at: [...at, "columns"], table: key, role, name: free[0] ?? "", reason: `${role} may set ${listed(free)} of ${key}, by which the filter knows its rows, and no check follows` }];
    }),
};

/** What roles without authentication are called where nobody has said. */
const usual = /^(anonymous|anon|public|guest|unauthenticated|unauthorized)$/i;

export const anonymousWrite: Rule = {
  id: "anonymous-write",
  severity: "warning",
  finds: "a role without authentication that may insert, update or delete",
  why: "Anybody on the network may then write, as often as they like; nobody is known to have done it.",
  remedy: "let an action or a service of yours write instead, or except it with the reason; unauthorizedRole in routeql.yaml says which role it is, where it has another name than anonymous, public or guest",
  find: (examined) => {
    const { unauthorizedRole } = examined.configuration;
    return writesOf(examined)
      .filter(({ role, permission }) => (unauthorizedRole === undefined ? usual.test(role) : role === unauthorizedRole) && permission["backend_only"] !== true)
      .map(({ kind, role, key, at }) => ({ at, table: key, role, reason: `${role} may ${kind.replace("_permissions", "")} rows of ${key} without authentication` }));
  },
};
