import { identifier } from "../../../../engine/src/permissions/sql-text.ts";
import type { DeclaredRelationship } from "../../../../engine/src/permissions/tables.ts";
import { difference, differenceWords, expectedRows, type Row, settled } from "./answers.ts";
import { documentOf, orderColumns, rootValue } from "./documents.ts";
import { type Case, caseOf, orderArgument, plainRows, selectionOf, sessionWords } from "./rows.ts";

/** Rows at which relationships are followed. */
const starts = 25;

/** A statement that gives, for each of the first rows, those at the other end: `{children: [...], many: n}`. */
function statement(from: Case, to: Case, { mapping }: DeclaredRelationship): string {
  const join = Object.entries(mapping).map(([own, other]) => `child.${identifier(other)} = it.${identifier(own)}`);
  const where = [...join, `(${to.sql.filter(to.permission, "child")})`].join(" and ");
  const most = to.permission.limit ?? 1000;
  return `select json_build_object(
      'children', coalesce((select json_agg(c) from (select ${to.sql.values(to.table, to.permission, "child")} from ${to.sql.from(to.table, "child")} where ${where} limit ${most + 1}) c), '[]'),
      'many', (select count(*) from ${to.sql.from(to.table, "child")} where ${where}))::text
    from (select * from ${from.sql.from(from.table, "it")} where ${from.sql.filter(from.permission, "it")}${from.sql.order(from.table, from.permission, "it")} limit ${starts}) it${from.sql.order(from.table, from.permission, "it")}`;
}

interface Ends {
  readonly children: readonly Row[];
  /** As a number's text. */
  readonly many: string;
}

/** Follows every relationship that the role has, from rows that it is served: the other ends are cut by their own filter and limit. */
export async function verifyRelationships(from: Case): Promise<void> {
  if (!from.permission.operations.has("query") || orderColumns(from.table, from.permission).length === 0) return;
  for (const relationship of from.table.relationships) {
    const table = from.subject.access.tables.get(relationship.target);
    const permission = from.subject.access.permission(from.role, relationship.target);
    if (table === undefined || permission === undefined) continue;
    await follow(from, caseOf({ ...from, table, permission }), relationship);
  }
}

async function follow(from: Case, to: Case, relationship: DeclaredRelationship): Promise<void> {
  const { subject, role, verdicts } = from;
  const { access } = subject;
  const { name, kind } = relationship;
  const cell = { role, table: from.table.key, name };
  const aggregate = access.naming.suffixed(name, "aggregate");
  const counted = kind === "array" && to.permission.aggregates ? ` ${aggregate} { aggregate { count } }` : "";
  const root = from.table.roots.select;
  const document = documentOf(access, "query", `${root}(limit: ${starts}, ${orderArgument(from)}) { ${name} { ${selectionOf(to)} }${counted} }`);
  const expect = () => expectedRows(subject, () => statement(from, to, relationship));
  const first = await expect();
  if (first.kind === "unknown") {
    verdicts.say("not-verified", cell, `where ${from.table.rootField}.${name} leads ${role}: ${first.reason}`);
    return;
  }
  // Rows that are alike in order may come in any; then only all ends together are compared.
  const wrong = await settled(
    expect,
    () => subject.ask(role, from.variables, document),
    (reply, expected) => {
      if (expected.kind === "unknown" || expected.kind === "error") return undefined;
      if (expected.kind === "missing") return reply.failure === undefined ? `is served though ${expected.variable} is missing` : undefined;
      if (reply.failure !== undefined) return `is refused with "${reply.failure.message}"`;
      const served = plainRows(rootValue(access, reply, root));
      const limit = to.permission.limit ?? Number.POSITIVE_INFINITY;
      const ends = expected.rows as unknown as readonly Ends[];
      for (const [index, { children, many }] of ends.slice(0, from.permission.limit ?? starts).entries()) {
        const value = served[index]?.[name];
        const list = kind === "array" ? plainRows(value) : value === null || value === undefined ? [] : plainRows([value]);
        if (list.length > limit) return `is served ${list.length} rows at once, and may have ${limit}`;
        const count = (served[index]?.[aggregate] as { aggregate: { count: string } } | undefined)?.aggregate.count;
        if (counted !== "" && count !== many) return `counts ${String(count).replace("#", "")} rows by ${aggregate}, and the filter gives ${many.replace("#", "")}`;
        const found = difference(list, children);
        if (found === undefined) continue;
        const cut = children.length > limit && found.extra.length === 0 && list.length === limit;
        // A child that is beyond those which were asked for may be served in place of one of them.
        const beyond = children.length > limit && list.length === limit && kind === "array";
        const single = kind === "object" && children.length > 1 && list.length === 1 && found.extra.length === 0;
        if (!cut && !beyond && !single) return `is served ${differenceWords(found)}`;
      }
      return undefined;
    },
  );
  verdicts.count("relationships", first.kind === "rows" ? Math.max(first.rows.length, 1) : 1);
  if (wrong !== undefined) verdicts.say("relationships", cell, `${role}${sessionWords(from.variables)} ${wrong} (${from.table.rootField}.${name})`);
}
