import { isAlwaysTrue } from "../diff/formula.ts";
import { conditionText } from "../metadata/conditions.ts";
import { permissionsOf, type PlacedPermission, type PlacedTable, tablesOf } from "../metadata/walk.ts";
import { inPermission, isTrusted, type Rule } from "./rule.ts";

const isUnlimited = ({ limit }: PlacedPermission["permission"]): boolean => limit === undefined || limit === null;

/** Finds permissions of roles that are not trusted. @param part key of the finding in the permission */
const reading =
  (
    part: string | undefined,
    isFound: (placed: PlacedPermission) => boolean,
    reason: (placed: PlacedPermission) => string,
  ): Rule["find"] =>
  (examined) =>
    permissionsOf(examined)
      .filter((placed) => !isTrusted(placed.role, examined) && isFound(placed))
      .map((placed) => inPermission(placed, part, reason(placed)));

export const rowLimit: Rule = {
  id: "row-limit",
  severity: "warning",
  finds: "a role that may read any number of rows at once",
  why: "One query can read a whole table, and it blocks a database connection while it runs. The nodes of an aggregate are rows too.",
  remedy: "give the select permission a `limit`, for example 100",
  find: reading(
    undefined,
    ({ permission }) => isUnlimited(permission),
    ({ role, key, permission }) =>
      `${role} may read ${permission.allow_aggregations ? "and aggregate " : ""}any number of rows of ${key} at once: the select permission has no limit`,
  ),
};

export const everyRow: Rule = {
  id: "every-row",
  severity: "warning",
  finds: "a select permission whose filter lets every row through",
  why: "An empty filter is the default of a new permission. An exception documents an intended one.",
  remedy: "write a filter, or add an exception to hasura-checks.yaml with the reason",
  find: reading(
    "filter",
    (placed) => isAlwaysTrue(placed.permission.filter, placed),
    ({ role, key, permission }) =>
      `${role} may read every row of ${key}: the filter ${conditionText(permission.filter)}`,
  ),
};

export const allColumns: Rule = {
  id: "all-columns",
  severity: "warning",
  finds: "a select permission for `*`",
  why: "The role can read a column as soon as a later migration adds it, without a review of the permission.",
  remedy: "list the columns",
  find: reading(
    "columns",
    ({ permission }) => permission.columns === "*",
    ({ role, key }) => `${role} may read all columns of ${key}, including columns that later migrations add`,
  ),
};

/** Hasura serves the relationships of a table without readable columns. */
const hasRelationships = (table: PlacedTable["table"] | undefined): boolean =>
  table !== undefined && table.object_relationships.length + table.array_relationships.length > 0;

export const nothingGranted: Rule = {
  id: "nothing-granted",
  severity: "warning",
  finds: "a select permission without columns, aggregates and relationships",
  why: "The role sees the name of the table and the number of rows, and can read no value.",
  remedy: "list columns, or remove the permission",
  find: (examined) =>
    permissionsOf(examined)
      .filter(
        ({ permission, path }) =>
          permission.columns.length === 0 &&
          permission.computed_fields.length === 0 &&
          !permission.allow_aggregations &&
          !hasRelationships(tablesOf(examined).find((placed) => placed.path === path)?.table),
      )
      .map((placed) =>
        inPermission(placed, undefined, `${placed.role} has a select permission on ${placed.key} without columns`),
      ),
};
