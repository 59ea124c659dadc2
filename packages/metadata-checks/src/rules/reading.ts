import { conditionText, isAlwaysTrue } from "./conditions.ts";
import { isTrusted, permissionsOf, type Rule } from "./rule.ts";

export const rowLimit: Rule = {
  id: "row-limit",
  severity: "warning",
  finds: "a role that may read any number of rows at once",
  why: "One query can then carry a whole table away, and hold the database while it does.",
  remedy: "give the select permission a `limit`, for example 100",
  find: (examined) =>
    permissionsOf(examined)
      .filter(({ permission, role }) => (permission.limit === undefined || permission.limit === null) && !isTrusted(role, examined))
      .map(({ key, role, at }) => ({ at, table: key, role, reason: `${role} may read any number of rows of ${key} at once: the select permission has no limit` })),
};

export const unlimitedAggregates: Rule = {
  id: "unlimited-aggregates",
  severity: "warning",
  finds: "aggregates for a role without row limit",
  why: "The nodes of an aggregate are rows too, and counting and summing a whole table is work that any client may then ask for.",
  remedy: "give the select permission a `limit`, or take `allow_aggregations` from it",
  find: (examined) =>
    permissionsOf(examined)
      .filter(({ permission, role }) => permission.allow_aggregations && !isTrusted(role, examined) && (permission.limit === undefined || permission.limit === null))
      .map(({ key, role, at }) => ({ at: [...at, "allow_aggregations"], table: key, role, reason: `${role} may aggregate ${key}, and has no row limit there` })),
};

export const everyRow: Rule = {
  id: "every-row",
  severity: "warning",
  finds: "a select permission whose filter lets every row through",
  why: "An empty filter is what a permission has before anybody thought of one; where it is meant, say so once, as an exception.",
  remedy: "write a filter, or except it in hasura-checks.yaml with the reason why the role may see every row",
  find: (examined) =>
    permissionsOf(examined)
      .filter((placed) => !isTrusted(placed.role, examined) && isAlwaysTrue(placed.permission.filter, placed))
      .map(({ key, role, at, permission }) => ({ at: [...at, "filter"], table: key, role, reason: `${role} may read every row of ${key}: the filter ${conditionText(permission.filter)}` })),
};

export const allColumns: Rule = {
  id: "all-columns",
  severity: "warning",
  finds: "a select permission for `*`",
  why: "A column that a later migration adds is served to the role at once, without anybody having decided it.",
  remedy: "list the columns",
  find: (examined) =>
    permissionsOf(examined)
      .filter(({ permission, role }) => permission.columns === "*" && !isTrusted(role, examined))
      .map(({ key, role, at }) => ({ at: [...at, "columns"], table: key, role, reason: `${role} may read all columns of ${key}, those of the future too` })),
};

export const nothingGranted: Rule = {
  id: "nothing-granted",
  severity: "warning",
  finds: "a select permission without any column",
  why: "The role sees the table's name and, with aggregates, how many rows there are, but can read nothing: rarely meant.",
  remedy: "list columns, or remove the permission",
  find: (examined) =>
    permissionsOf(examined)
      .filter(({ permission }) => permission.columns.length === 0 && permission.computed_fields.length === 0)
      .map(({ key, role, at }) => ({ at, table: key, role, reason: `${role} has a select permission on ${key} with no column in it` })),
};
