import type { DeclaredPermission, DeclaredTable, Operation } from "../../declared/declared.ts";
import type { Call } from "../observe/calls.ts";
import {
  difference,
  differenceWords,
  Expectation,
  type Expected,
  expectedRows,
  type Row,
  settled,
} from "../observe/answers.ts";
import { documentOf, fieldOf, orderColumns, rootOf, rootValue, valueColumns } from "../observe/documents.ts";
import type { Cell, Verdicts, Verification } from "../report/report.ts";
import { Sql } from "../observe/sql.ts";
import type { Failure, Reply, Variables } from "../observe/served.ts";
import type { Subject } from "../observe/subject.ts";

/** One role, one table, function or native query, and one session. */
export interface Case {
  readonly subject: Subject;
  readonly role: string;
  readonly table: DeclaredTable;
  readonly permission: DeclaredPermission;
  readonly variables: Variables;
  /** The call that returns the rows, if it is not the table. */
  readonly call?: Call | undefined;
  readonly sql: Sql;
  readonly verdicts: Verdicts;
  /** Most rows that are compared one by one. */
  readonly most: number;
}

export function caseOf(of: Omit<Case, "sql">): Case {
  const { access } = of.subject;
  // The list of tables does not contain native queries.
  const tables = access.tables.has(of.table.key)
    ? access
    : { tables: new Map([...access.tables, [of.table.key, of.table]]) };
  return { ...of, sql: new Sql(tables, of.role, of.variables) };
}

export const cellOf = ({ role, table, call }: Pick<Case, "role" | "table" | "call">) => ({
  role,
  table: table.key,
  ...(call === undefined ? {} : { call: call.field }),
});

export function rootFieldOf({ table, call }: Case, operation: Operation): string {
  if (call === undefined) return rootOf(table, operation).field;
  return operation.endsWith("aggregate") ? call.aggregateField : call.field;
}

export function fromOf({ table, call, sql, role, variables }: Case, alias: string): string {
  return call === undefined ? sql.from(table, alias) : `${call.from(role, variables)} ${alias}`;
}

export function rowsStatement(of: Case, most: number, further = "true"): string {
  return of.sql.rows(of.table, of.permission, most, fromOf(of, "it"), further);
}

export function sessionWords(variables: Variables): string {
  const said = Object.entries(variables).map(
    ([name, value]) => `${name} = ${JSON.stringify(value.length > 40 ? `${value.slice(0, 37)}...` : value)}`,
  );
  return said.length === 0 ? "" : ` with ${said.join(", ")}`;
}

/** Counts checks, and reports an answer that differs from the filter. @param place root field and operation */
export function report(
  { role, variables, verdicts, ...of }: Case,
  kind: Verification,
  wrong: string | undefined,
  place: string,
  { cell = cellOf({ role, ...of }), checks = 1 }: { readonly cell?: Cell; readonly checks?: number } = {},
): void {
  verdicts.count(kind, checks);
  if (wrong !== undefined) verdicts.say(kind, cell, `${role}${sessionWords(variables)} ${wrong} (${place})`);
}

export function orderArgument({ subject, table, permission }: Case): string {
  const { naming } = subject.access;
  const items = orderColumns(table, permission).map(
    (column) => `{${fieldOf(table, column)}: ${naming.enumValue("asc")}}`,
  );
  return items.length === 0 ? "" : `${naming.field("order_by")}: [${items.join(", ")}]`;
}

export function selectionOf({ table, permission }: Pick<Case, "table" | "permission">): string {
  return (
    valueColumns(table, permission)
      .map((column) => fieldOf(table, column))
      .join(" ") || "nothing: __typename"
  );
}

/** The arguments of a root field, including those of its call. */
export function argumentsOf({ call }: Case, ...given: readonly string[]): string {
  const all = [call?.args ?? "", ...given].filter((argument) => argument !== "");
  return all.length === 0 ? "" : `(${all.join(", ")})`;
}

export function rowsAt({ subject: { access }, call }: Case, reply: Reply, field: string): readonly Row[] {
  const value = rootValue(access, reply, field);
  return plainRows(call?.single === true ? (value === null || value === undefined ? [] : [value]) : value);
}

/** Rows with one constant value for a role without comparable columns. */
export const plainRows = (value: unknown): readonly Row[] =>
  (Array.isArray(value) ? (value as readonly Row[]) : []).map((row) => ("nothing" in row ? { nothing: "#1" } : row));

type Served = { readonly rows: readonly Row[]; readonly longest: number } | { readonly failure: Failure };

async function ask({ subject, role, variables }: Case, document: string): Promise<Reply> {
  return subject.ask(role, variables, document);
}

/** The difference of a document's answer from the rows of SQL; undefined without one, or if SQL has no rows to compare with. */
export async function differing(
  of: Case,
  expectation: Expectation,
  document: string,
  differs: (reply: Reply, rows: readonly Row[]) => string | undefined,
): Promise<string | undefined> {
  return settled(
    expectation,
    () => ask(of, document),
    (reply, expected) => {
      if (expected.kind === "missing")
        return reply.failure === undefined ? `is served though ${expected.variable} is missing` : undefined;
      if (expected.kind !== "rows") return undefined;
      return reply.failure === undefined ? differs(reply, expected.rows) : `is refused with "${reply.failure.message}"`;
    },
  );
}

/** Reads the rows of a root field page by page, at most one more than are compared. */
async function pages(of: Case, kind: "query" | "subscription"): Promise<Served> {
  const field = rootFieldOf(of, kind === "query" ? "query" : "live query");
  const rows: Row[] = [];
  let longest = 0;
  for (;;) {
    const args = argumentsOf(
      of,
      orderArgument(of),
      `limit: ${of.most + 1 - rows.length}`,
      rows.length === 0 ? "" : `offset: ${rows.length}`,
    );
    const reply = await ask(of, documentOf(of.subject.access, kind, `${field}${args} { ${selectionOf(of)} }`));
    if (reply.failure !== undefined) return { failure: reply.failure };
    const page = rowsAt(of, reply, field);
    rows.push(...page);
    longest = Math.max(longest, page.length);
    const { limit } = of.permission;
    if (
      of.call?.single === true ||
      page.length === 0 ||
      rows.length > of.most ||
      limit === undefined ||
      limit === 0 ||
      page.length < limit ||
      orderArgument(of) === ""
    )
      return { rows, longest };
  }
}

/** The difference between the served rows and those of SQL; undefined without one. */
function wrongRows(of: Case, served: Served, expected: Expected): string | undefined {
  if (expected.kind === "unknown") return undefined;
  if (expected.kind === "missing") {
    return "failure" in served
      ? undefined
      : `is served ${served.rows.length} rows though ${expected.variable} is missing`;
  }
  if ("failure" in served)
    return expected.kind === "error"
      ? undefined
      : `is refused with "${served.failure.message}", and the filter gives ${expected.rows.length} rows`;
  if (expected.kind === "error")
    return served.rows.length === 0
      ? undefined
      : `is served ${served.rows.length} rows, and SQL fails with "${expected.message}"`;
  const reach = orderArgument(of) === "" && of.permission.limit !== undefined ? of.permission.limit : of.most;
  if (expected.rows.length <= reach) {
    const found = difference(served.rows, expected.rows);
    return found === undefined ? undefined : `is served ${differenceWords(found)}`;
  }
  if (orderArgument(of) === "")
    return served.rows.length === reach ? undefined : `is served ${served.rows.length} rows of more than ${reach}`;
  // There are more rows than are compared. Leave out those with the same place in the order as the last one.
  const [cutServed, cutExpected] = [withoutLast(of, served.rows, of.most), withoutLast(of, expected.rows, of.most)];
  const found = difference(cutServed, cutExpected);
  return found === undefined ? undefined : `is served ${differenceWords(found)}`;
}

function withoutLast({ table, permission }: Case, rows: readonly Row[], most: number): readonly Row[] {
  const keyOf = (row: Row | undefined) =>
    JSON.stringify(orderColumns(table, permission).map((column) => row?.[fieldOf(table, column)]));
  const last = keyOf(rows[most]);
  return rows.slice(0, most).filter((row) => keyOf(row) !== last);
}

/** Compares the rows of a query and of a live query with those of the filter in SQL. */
export async function verifyRows(of: Case): Promise<void> {
  const { verdicts, role, permission, subject } = of;
  const expectation = new Expectation(() => expectedRows(subject, () => rowsStatement(of, of.most + 1)));
  const first = await expectation.last();
  if (first.kind === "unknown") {
    verdicts.say(
      "not-verified",
      cellOf(of),
      `the rows of ${rootFieldOf(of, "query")} that ${role} is served: ${first.reason}`,
    );
    return;
  }
  for (const [kind, operation] of [
    ["query", "query"],
    ["subscription", "live query"],
  ] as const) {
    if (!permission.operations.has(operation)) continue;
    const wrong = await settled(
      expectation,
      () => pages(of, kind),
      (served, expected) => wrongRows(of, served, expected),
    );
    const checks = first.kind === "rows" ? Math.max(first.rows.length, 1) : 1;
    report(of, "rows", wrong, `${rootFieldOf(of, operation)}, ${operation}`, { checks });
    await verifyLimit(of, kind, first);
  }
}

/** Checks that no argument makes a list longer than the limit. */
async function verifyLimit(of: Case, kind: "query" | "subscription", expected: Expected): Promise<void> {
  const { limit } = of.permission;
  if (limit === undefined || expected.kind !== "rows" || of.call?.single === true) return;
  const field = rootFieldOf(of, kind === "query" ? "query" : "live query");
  for (const asked of ["", "limit: null", `limit: ${limit + 1}`, "limit: 2147483647"]) {
    const reply = await ask(
      of,
      documentOf(of.subject.access, kind, `${field}${argumentsOf(of, asked)} { __typename }`),
    );
    const length = plainRows(rootValue(of.subject.access, reply, field)).length;
    of.verdicts.hold(
      "limit",
      cellOf(of),
      length <= limit && reply.failure === undefined,
      () =>
        `${of.role} is served ${length} rows of ${field} at once by (${asked || "no limit"}), and may have ${limit}`,
    );
  }
}
