import type { VisibleRows } from "../permissions/visible-rows.ts";
import { isTrusted, listed, permissionsOf, type Rule } from "./rule.ts";

/** Share of the rows from which a filter is open in effect. */
const openShare = 0.9;
/** Fewer rows do not show whether a filter separates them. */
const leastRows = 20;
/** With fewer sessions, one large customer could own almost all rows. */
const leastSessions = 3;

/** The sessions that show a filter to be open, in words. */
function openness({ all, visible, toStranger, variables = [] }: VisibleRows): string | undefined {
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
      const [at, open] = [placed.get(`${source}\n${role}\n${table}`), openness(rows)];
      if (at === undefined || open === undefined || isTrusted(role, examined)) return [];
      return [
        {
          at: [...at, "filter"],
          table,
          role,
          reason: `the filter of ${role} on ${table} uses ${listed(variables)}, and shows ${open}${isSample ? " (in a sample)" : ""}`,
        },
      ];
    });
  },
};
