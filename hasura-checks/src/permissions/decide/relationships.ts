import { identifier } from "../../declared/filter-text.ts";
import type { DeclaredNativeQuery } from "../../declared/declared.ts";
import type { DeclaredRelationship } from "../../declared/tables.ts";
import type { Calls } from "../observe/calls.ts";
import { difference, differenceWords, Expectation, expectedRows, type Row } from "../observe/answers.ts";
import { documentOf, orderColumns, rootValue } from "../observe/documents.ts";
import {
  argumentsOf,
  type Case,
  caseOf,
  differing,
  fromOf,
  orderArgument,
  plainRows,
  report,
  rootFieldOf,
  selectionOf,
} from "./rows.ts";

/** Most rows whose relationships are followed. */
const starts = 25;

/** A name that no column has. */
const alike = "_routeql_alike";

/** A statement that returns the related rows of each of the first rows: `{alike: n, children: [...], many: n}`. */
function statement(from: Case, to: Case, { mapping }: DeclaredRelationship): string {
  const join = Object.entries(mapping).map(([own, other]) => `child.${identifier(other)} = it.${identifier(own)}`);
  const where = [...join, `(${to.sql.filter(to.permission, "child")})`].join(" and ");
  const most = to.permission.limit ?? 1000;
  const ends = fromOf(to, "child");
  return `select json_build_object(
      'alike', ${alike},
      'children', coalesce((select json_agg(c) from (select ${to.sql.values(to.table, to.permission, "child")} from ${ends} where ${where} limit ${most + 1}) c), '[]'),
      'many', (select count(*) from ${ends} where ${where}))::text
    from (select it.*, count(*) over (partition by ${orderColumns(from.table, from.permission)
      .map((column) => from.sql.column(from.permission, column, "it"))
      .join(", ")}) as ${alike}
      from ${fromOf(from, "it")} where ${from.sql.filter(from.permission, "it")}${from.sql.order(from.table, from.permission, "it")} limit ${starts}) it${from.sql.order(from.table, from.permission, "it")}`;
}

interface Ends {
  /** Number of rows with the same place in the order, as text. */
  readonly alike: string;
  readonly children: readonly Row[];
  /** A number as text. */
  readonly many: string;
}

/** Follows every relationship of the role from the rows that it receives: the related rows respect their own filter and limit. */
export async function verifyRelationships(from: Case, callsOf: (query: DeclaredNativeQuery) => Calls): Promise<void> {
  if (
    !from.permission.operations.has("query") ||
    from.call?.single === true ||
    orderColumns(from.table, from.permission).length === 0
  )
    return;
  const { access } = from.subject;
  for (const relationship of from.table.relationships) {
    const table = access.tables.get(relationship.target);
    const permission = access.permission(from.role, relationship.target);
    if (table === undefined || permission === undefined) continue;
    await follow(from, caseOf({ ...from, table, permission, call: undefined }), relationship);
  }
  for (const relationship of from.table.nativeRelationships) {
    const query = access.nativeQueries.find(({ field }) => field === relationship.target);
    const permission = query === undefined ? undefined : access.mayAsk(from.role, query);
    if (query === undefined || permission === undefined) continue;
    // The check of the native query itself reports why there is no call.
    const [call] = callsOf(query).calls ?? [];
    if (call !== undefined) await follow(from, caseOf({ ...from, table: query.rows, permission, call }), relationship);
  }
}

async function follow(from: Case, to: Case, relationship: DeclaredRelationship): Promise<void> {
  const { subject, role, verdicts } = from;
  const { access } = subject;
  const { name, kind } = relationship;
  const cell = { role, table: from.table.key, name };
  const aggregate = access.naming.suffixed(name, "aggregate");
  const counted = kind === "array" && to.permission.aggregates ? ` ${aggregate} { aggregate { count } }` : "";
  const root = rootFieldOf(from, "query");
  const given = to.call === undefined ? "" : argumentsOf(to);
  const document = documentOf(
    access,
    "query",
    `${root}${argumentsOf(from, `limit: ${starts}`, orderArgument(from))} { ${name}${given} { ${selectionOf(to)} }${counted} }`,
  );
  const expectation = new Expectation(() => expectedRows(subject, () => statement(from, to, relationship)));
  const first = await expectation.last();
  if (first.kind === "unknown") {
    verdicts.say("not-verified", cell, `where ${root}.${name} leads ${role}: ${first.reason}`);
    return;
  }
  const wrong = await differing(from, expectation, document, (reply, rows) => {
    const served = plainRows(rootValue(access, reply, root));
    const limit = to.permission.limit ?? Number.POSITIVE_INFINITY;
    const ends = rows as unknown as readonly Ends[];
    for (const [index, { alike: inPlace, children, many }] of ends
      .slice(0, from.permission.limit ?? starts)
      .entries()) {
      // Rows with the same place in the order can come in any order.
      if (inPlace !== "#1") continue;
      const value = served[index]?.[name];
      const list =
        kind === "array" ? plainRows(value) : value === null || value === undefined ? [] : plainRows([value]);
      if (list.length > limit) return `is served ${list.length} rows at once, and may have ${limit}`;
      const count = (served[index]?.[aggregate] as { aggregate: { count: string } } | undefined)?.aggregate.count;
      if (counted !== "" && count !== many)
        return `counts ${String(count).replace("#", "")} rows by ${aggregate}, and the filter gives ${many.replace("#", "")}`;
      const found = difference(list, children);
      if (found === undefined) continue;
      const cut = children.length > limit && found.extra.length === 0 && list.length === limit;
      // With more children than the statement returns, the engine can return another child.
      const beyond = children.length > limit && list.length === limit && kind === "array";
      const single = kind === "object" && children.length > 1 && list.length === 1 && found.extra.length === 0;
      if (!cut && !beyond && !single) return `is served ${differenceWords(found)}`;
    }
    return undefined;
  });
  const checks = first.kind === "rows" ? Math.max(first.rows.length, 1) : 1;
  report(from, "relationships", wrong, `${root}.${name}`, { cell, checks });
}
