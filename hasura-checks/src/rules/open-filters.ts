import type { MergedPath } from "@routeql/metadata/read/load";
import type { VisibleRows } from "../permissions/observe/visible-rows.ts";
import { columnsHeldToSession, isFields, listOf, mentionsSession } from "../metadata/conditions.ts";
import { grantsOf, listed, permissionsOf } from "../metadata/walk.ts";
import { type Found, isTrusted, type Rule } from "./rule.ts";

const publicName =
  /public|publish|visib|share|open|listed|approved|released|global|featured|private|hidden|draft|internal|confidential|restricted/i;
/** Names of columns that refer to another row. Almost every row has a value there. */
const referenceName = /(^|_)id$|Id$/;

/** The rows that a branch selects for every session; undefined for a branch that selects marked rows, such as published ones. */
function openness(branch: unknown, bound: ReadonlySet<string>): string | undefined {
  if (!isFields(branch) || Object.keys(branch).length === 0) return undefined;
  const reasons = Object.entries(branch).map(([key, value]) => {
    if (/^[_$]and$/.test(key)) {
      const inner = listOf(value).map((item) => openness(item, bound));
      return inner.includes(undefined) ? undefined : inner[0];
    }
    if (/^[_$](or|not|exists)$/.test(key) || publicName.test(key) || !isFields(value)) return undefined;
    const operators = Object.entries(value);
    const [operator = "", wanted] = operators[0] ?? [];
    // The filter of a relationship.
    if (!/^[_$]/.test(operator)) return openness(value, bound);
    if (operators.length !== 1) return undefined;
    if (/^[_$]is_null$/.test(operator)) {
      if (wanted === true && bound.has(key)) return undefined;
      if (wanted === false && !referenceName.test(key)) return undefined;
      return wanted === true ? `every row without ${key}` : `every row that has a value in ${key}`;
    }
    if (/^[_$]eq$/.test(operator) && wanted === false) return `every row in which ${key} is false`;
    return /^[_$](ne|neq|nin)$/.test(operator) && !Array.isArray(wanted)
      ? `every row in which ${key} is not ${JSON.stringify(wanted)}`
      : undefined;
  });
  return reasons.includes(undefined) ? undefined : reasons[0];
}

/** Branches of every `_or` of a condition, with their siblings. A condition around the `_or` that is bound to the session binds all branches. */
function branchesIn(
  condition: unknown,
  at: MergedPath,
): readonly { readonly branch: unknown; readonly at: MergedPath; readonly others: readonly unknown[] }[] {
  if (!isFields(condition)) return [];
  return Object.entries(condition).flatMap(([key, value], position, all) => {
    if (all.some(([, other], index) => index !== position && mentionsSession(other))) return [];
    const place = [...at, key];
    if (/^[_$]and$/.test(key))
      return listOf(value).flatMap((item, index, list) =>
        list.some((other, number) => number !== index && mentionsSession(other))
          ? []
          : branchesIn(item, Array.isArray(value) ? [...place, index] : place),
      );
    const own =
      /^[_$]or$/.test(key) && Array.isArray(value)
        ? value.map((branch: unknown, index) => ({
            branch,
            at: [...place, index],
            others: value.filter((_other, number) => number !== index) as readonly unknown[],
          }))
        : [];
    // A negated alternative narrows the rows.
    if (/^[_$]not$/.test(key)) return own;
    return [
      ...own,
      ...listOf(value).flatMap((item, index) => branchesIn(item, Array.isArray(value) ? [...place, index] : place)),
    ];
  });
}

const conditionKeys = {
  select_permissions: ["filter"],
  insert_permissions: ["check"],
  update_permissions: ["filter", "check"],
  delete_permissions: ["filter"],
} as const;

export const unboundBranch: Rule = {
  id: "unbound-branch",
  severity: "warning",
  finds: "an alternative of `_or` that does not depend on the session, beside others that do",
  why: "The alternative selects rows for every session, so the filter looks bound to the session and is open. Build logs leaked in this way (its-a-feature/Mythic#563).",
  remedy:
    "remove the alternative, or bind it to the session; add an exception with the reason where all users may see these rows",
  find: (examined) => {
    const conditions = grantsOf(examined).flatMap(({ kind, permission, at, role, key }) =>
      conditionKeys[kind].map((name) => ({ condition: permission[name], at: [...at, name], role, key })),
    );
    return conditions.flatMap(({ condition, at, role, key }) =>
      branchesIn(condition, at).flatMap(({ branch, at: place, others }): Found[] => {
        if (mentionsSession(branch) || !others.some(mentionsSession)) return [];
        const reason = openness(branch, new Set(others.flatMap((each) => columnsHeldToSession(each))));
        if (reason === undefined) return [];
        const selects = `one alternative of _or selects ${reason} in every session`;
        return [{ at: place, table: key, role, reason: `${role} on ${key}: ${selects}` }];
      }),
    );
  },
};

const openShare = 0.9;
/** Fewer rows do not show whether a filter separates them. */
const leastRows = 20;
/** With fewer sessions, one large customer could own almost all rows. */
const leastSessions = 3;

/** The sessions that show a filter to be open, in words. */
function opennessInData({ all, visible, toStranger, variables = [] }: VisibleRows): string | undefined {
  if (variables.length === 0 || all < leastRows) return undefined;
  const isOpen = (rows: number) => rows >= all * openShare;
  if (toStranger !== undefined && isOpen(toStranger))
    return `${toStranger} of ${all} rows to a session whose values no row holds`;
  if (visible.length >= leastSessions && visible.every(isOpen))
    return `at least ${Math.min(...visible)} of ${all} rows to each of ${visible.length} sessions`;
  return undefined;
}

export const openInEffect: Rule = {
  id: "open-in-effect",
  severity: "warning",
  needs: "database",
  finds: "a filter that uses session variables and still shows almost every row of the database to every session",
  why: "The filter looks bound to the session and separates nothing: a negated comparison, an `_exists` without a link to the row, or an alternative that most rows meet.",
  remedy:
    "link the filter to the row; add an exception with the reason where all users may see these rows. `lint --visible-rows` lists the numbers",
  find: (examined) => {
    const placed = new Map(
      permissionsOf(examined).map(({ source, role, key, at }) => [`${source}\n${role}\n${key}`, at]),
    );
    return (examined.visible ?? []).flatMap((rows) => {
      const { source, role, table, variables = [], isSample } = rows;
      const [at, open] = [placed.get(`${source}\n${role}\n${table}`), opennessInData(rows)];
      if (at === undefined || open === undefined || isTrusted(role, examined)) return [];
      const reason = `the filter of ${role} on ${table} uses ${listed(variables)}, and shows ${open}${isSample ? " (in a sample)" : ""}`;
      return [{ at: [...at, "filter"], table, role, reason }];
    });
  },
};
