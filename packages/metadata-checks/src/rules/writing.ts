import { columnsHeldToSession, conditionText, isAlwaysTrue } from "./conditions.ts";
import {
  columnsOf,
  type Found,
  isCertainlyUnauthorized,
  isTrusted,
  isUnauthorized,
  listed,
  type PlacedWrite,
  type Rule,
  writesOf,
} from "./rule.ts";

const conditions = {
  insert_permissions: ["check", "insert any row into"],
  update_permissions: ["filter", "update every row of"],
  delete_permissions: ["filter", "delete every row of"],
} as const;

/** Whether a preset binds a row to the session. */
const isTied = ({ set }: PlacedWrite["permission"]): boolean =>
  Object.values(set ?? {}).some((value) => typeof value === "string" && /^x-hasura-/i.test(value));

export const everyRowWritable: Rule = {
  id: "every-row-writable",
  severity: "warning",
  finds:
    "a role that may insert, update or delete any row (an error for updates and deletions of a role without authentication)",
  why: "With an empty filter on a write permission, one user can change the rows of all other users.",
  remedy:
    "write a filter (for insert: a check) that binds the row to the session; list the role in trustedRoles where it may write every row",
  find: (examined) =>
    writesOf(examined).flatMap((placed): Found[] => {
      const { kind, key, role, permission, at } = placed;
      const [condition, what] = conditions[kind];
      const value = permission[condition] ?? {};
      // Only a backend with the admin secret can use backend_only permissions. A preset binds an inserted row to the session.
      if (
        permission["backend_only"] === true ||
        isTrusted(role, examined) ||
        (kind === "insert_permissions" && isTied(permission))
      )
        return [];
      if (!isAlwaysTrue(value, columnsOf(placed, examined))) return [];
      // A named role can belong to an administrator; a request without a token cannot.
      const severity = kind !== "insert_permissions" && isCertainlyUnauthorized(role, examined) ? "error" : "warning";
      return [
        {
          at: [...at, condition],
          table: key,
          role,
          severity,
          reason: `${role} may ${what} ${key}: the ${condition} ${conditionText(value)}`,
        },
      ];
    }),
};

export const rowGivenAway: Rule = {
  id: "row-given-away",
  severity: "warning",
  finds: "an update permission with which a role can give its row to another user",
  why: "Hasura applies the filter only before the update. Without a check, a client can set the column that binds the row to the session, and the row then belongs to another user or tenant.",
  remedy: "remove the column from the columns of the permission, or add a check with the condition of the filter",
  find: (examined) =>
    writesOf(examined).flatMap((placed): Found[] => {
      const { kind, key, role, permission, at } = placed;
      if (
        kind !== "update_permissions" ||
        isTrusted(role, examined) ||
        !isAlwaysTrue(permission["check"] ?? {}, columnsOf(placed, examined))
      )
        return [];
      const { columns } = permission;
      const set = Object.keys(permission["set"] ?? {});
      const free = columnsHeldToSession(permission["filter"]).filter(
        (column) =>
          column !== "id" &&
          !set.includes(column) &&
          (columns === "*" || (Array.isArray(columns) && columns.includes(column))),
      );
      if (free.length === 0) return [];
      return [
        {
          at: [...at, "columns"],
          table: key,
          role,
          name: free[0] ?? "",
          reason: `${role} may set ${listed(free)} of ${key}, the column that its filter compares with the session, and there is no check`,
        },
      ];
    }),
};

export const anonymousWrite: Rule = {
  id: "anonymous-write",
  severity: "warning",
  finds: "a role without authentication that may insert, update or delete",
  why: "Any client on the network can write without limit, and the database has no record of the author.",
  remedy:
    "use an action or a backend service instead, or add an exception with the reason; set unauthorizedRole in hasura-checks.yaml if the role has another name than anonymous, public or guest",
  find: (examined) =>
    writesOf(examined)
      .filter(({ role, permission }) => isUnauthorized(role, examined) && permission["backend_only"] !== true)
      .map(({ kind, role, key, at }) => ({
        at,
        table: key,
        role,
        reason: `${role} may ${kind.replace("_permissions", "")} rows of ${key} without authentication`,
      })),
};
