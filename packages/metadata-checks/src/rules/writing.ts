import { columnsHeldToSession, conditionText, isAlwaysTrue } from "./conditions.ts";
import { columnsOf, type Found, isTrusted, isUnauthorized, listed, type PlacedWrite, type Rule, writesOf } from "./rule.ts";

const conditions = {
  insert_permissions: ["check", "insert any row into"],
  update_permissions: ["filter", "update every row of"],
  delete_permissions: ["filter", "delete every row of"],
} as const;

/** Whether a preset ties a row to the session. */
const isTied = ({ set }: PlacedWrite["permission"]): boolean => Object.values(set ?? {}).some((value) => typeof value === "string" && /^x-hasura-/i.test(value));

export const everyRowWritable: Rule = {
  id: "every-row-writable",
  severity: "warning",
  finds: "a role that may insert, update or delete any row (an error for updates and deletions of a role without authentication)",
  why: "An empty filter on a permission to write, or one that holds for every row, lets one user change what belongs to all others.",
  remedy: "write a filter (for insert: a check) that ties the row to the session; list the role in trustedRoles where it may write everything",
  find: (examined) =>
    writesOf(examined).flatMap((placed): Found[] => {
      const { kind, key, role, permission, at } = placed;
      const [condition, what] = conditions[kind];
      const value = permission[condition] ?? {};
      // What only a backend with the admin secret may do is no client's; an inserted row that a preset ties to the session is its own.
      if (permission["backend_only"] === true || isTrusted(role, examined) || (kind === "insert_permissions" && isTied(permission))) return [];
      if (!isAlwaysTrue(value, columnsOf(placed, examined))) return [];
      // A named role can be that of an administrator; a client without a token cannot.
      const severity = kind !== "insert_permissions" && isUnauthorized(role, examined) ? "error" : "warning";
      return [{ at: [...at, condition], table: key, role, severity, reason: `${role} may ${what} ${key}: the ${condition} ${conditionText(value)}` }];
    }),
};

export const rowGivenAway: Rule = {
  id: "row-given-away",
  severity: "warning",
  finds: "an update permission that lets a role put its row under somebody else's name",
  why: "Hasura looks at the filter before the update alone; without a check, the column that ties the row to the session may be set to anything, and the row is then another user's or tenant's.",
  remedy: "take the column from the permission's columns, or add a check with the condition of the filter",
  find: (examined) =>
    writesOf(examined).flatMap((placed): Found[] => {
      const { kind, key, role, permission, at } = placed;
      if (kind !== "update_permissions" || isTrusted(role, examined) || !isAlwaysTrue(permission["check"] ?? {}, columnsOf(placed, examined))) return [];
      const { columns } = permission;
      const set = Object.keys(permission["set"] ?? {});
      const free = columnsHeldToSession(permission["filter"]).filter((column) => column !== "id" && !set.includes(column) && (columns === "*" || (Array.isArray(columns) && columns.includes(column))));
      if (free.length === 0) return [];
      return [{ at: [...at, "columns"], table: key, role, name: free[0] ?? "", reason: `${role} may set ${listed(free)} of ${key}, by which the filter knows its rows, and no check follows` }];
    }),
};

export const anonymousWrite: Rule = {
  id: "anonymous-write",
  severity: "warning",
  finds: "a role without authentication that may insert, update or delete",
  why: "Anybody on the network may then write, as often as they like; nobody is known to have done it.",
  remedy: "let an action or a service of yours write instead, or except it with the reason; unauthorizedRole in hasura-checks.yaml says which role it is, where it has another name than anonymous, public or guest",
  find: (examined) =>
    writesOf(examined)
      .filter(({ role, permission }) => isUnauthorized(role, examined) && permission["backend_only"] !== true)
      .map(({ kind, role, key, at }) => ({ at, table: key, role, reason: `${role} may ${kind.replace("_permissions", "")} rows of ${key} without authentication` })),
};
