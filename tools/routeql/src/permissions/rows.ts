import type { DeclaredPermission, DeclaredTable } from "../../../../engine/src/permissions/declared.ts";
import { difference, differenceWords, type Expected, expectedRows, type Row, settled } from "./answers.ts";
import { documentOf, fieldOf, orderColumns, rootOf, rootValue, valueColumns } from "./documents.ts";
import type { Verdicts } from "./report.ts";
import { Sql } from "./sql.ts";
import type { Failure, Reply, Subject, Variables } from "./subject.ts";

/** One role, one table, one session. */
export interface Case {
  readonly subject: Subject;
  readonly role: string;
  readonly table: DeclaredTable;
  readonly permission: DeclaredPermission;
  readonly variables: Variables;
  readonly sql: Sql;
  readonly verdicts: Verdicts;
  /** Most rows that are compared one by one. */
  readonly most: number;
}

export function caseOf(of: Omit<Case, "sql">): Case {
  return { ...of, sql: new Sql(of.subject.access, of.role, of.variables) };
}

export const cellOf = ({ role, table }: Case) => ({ role, table: table.key });

/** The session in words, with long values cut. */
export function sessionWords(variables: Variables): string {
  const said = Object.entries(variables).map(([name, value]) => `${name} = ${JSON.stringify(value.length > 40 ? `${value.slice(0, 37)}...` : value)}`);
  return said.length === 0 ? "" : ` with ${said.join(", ")}`;
}

export function orderArgument({ subject, table, permission }: Case): string {
  const { naming } = subject.access;
  const items = orderColumns(table, permission).map((column) => `{${fieldOf(table, column)}: ${naming.enumValue("asc")}}`);
  return items.length === 0 ? "" : `${naming.field("order_by")}: [${items.join(", ")}]`;
}

export function selectionOf({ table, permission }: Pick<Case, "table" | "permission">): string {
  return valueColumns(table, permission).map((column) => fieldOf(table, column)).join(" ") || "nothing: __typename";
}

export const argumentsOf = (...given: readonly string[]) => {
  const all = given.filter((argument) => argument !== "");
  return all.length === 0 ? "" : `(${all.join(", ")})`;
};

/** Rows without what stands for a role that sees no column's value. */
export const plainRows = (value: unknown): readonly Row[] => (Array.isArray(value) ? (value as readonly Row[]) : []).map((row) => ("nothing" in row ? { nothing: "#1" } : row));

type Served = { readonly rows: readonly Row[]; readonly longest: number } | { readonly failure: Failure };

export async function ask({ subject, role, variables }: Case, document: string): Promise<Reply> {
  return subject.ask(role, variables, document);
}

/** Rows of a root field, page after page, until there are more than enough. */
async function pages(of: Case, kind: "query" | "subscription"): Promise<Served> {
  const { field } = rootOf(of.table, kind === "query" ? "query" : "live query");
  const rows: Row[] = [];
  let longest = 0;
  for (;;) {
    const args = argumentsOf(orderArgument(of), `limit: ${of.most + 1 - rows.length}`, rows.length === 0 ? "" : `offset: ${rows.length}`);
    const reply = await ask(of, documentOf(of.subject.access, kind, `${field}${args} { ${selectionOf(of)} }`));
    if (reply.failure !== undefined) return { failure: reply.failure };
    const page = plainRows(rootValue(of.subject.access, reply, field));
    rows.push(...page);
    longest = Math.max(longest, page.length);
    const { limit } = of.permission;
    if (page.length === 0 || rows.length > of.most || limit === undefined || limit === 0 || page.length < limit || orderArgument(of) === "") return { rows, longest };
  }
}

/** What is wrong with rows that were served instead of those that SQL gives; `undefined` when nothing is. */
function wrongRows(of: Case, served: Served, expected: Expected): string | undefined {
  if (expected.kind === "unknown") return undefined;
  if (expected.kind === "missing") {
    return "failure" in served ? undefined : `is served ${served.rows.length} rows though ${expected.variable} is missing`;
  }
  if ("failure" in served) return expected.kind === "error" ? undefined : `is refused with "${served.failure.message}", and the filter gives ${expected.rows.length} rows`;
  if (expected.kind === "error") return served.rows.length === 0 ? undefined : `is served ${served.rows.length} rows, and SQL fails with "${expected.message}"`;
  const reach = orderArgument(of) === "" && of.permission.limit !== undefined ? of.permission.limit : of.most;
  if (expected.rows.length <= reach) {
    const found = difference(served.rows, expected.rows);
    return found === undefined ? undefined : `is served ${differenceWords(found)}`;
  }
  if (orderArgument(of) === "") return served.rows.length === reach ? undefined : `is served ${served.rows.length} rows of more than ${reach}`;
  // More rows than are compared: those that are alike in order with the last may be cut anywhere.
  const [cutServed, cutExpected] = [withoutLast(of, served.rows, of.most), withoutLast(of, expected.rows, of.most)];
  const found = difference(cutServed, cutExpected);
  return found === undefined ? undefined : `is served ${differenceWords(found)}`;
}

function withoutLast({ table, permission }: Case, rows: readonly Row[], most: number): readonly Row[] {
  const keyOf = (row: Row | undefined) => JSON.stringify(orderColumns(table, permission).map((column) => row?.[fieldOf(table, column)]));
  const last = keyOf(rows[most]);
  return rows.slice(0, most).filter((row) => keyOf(row) !== last);
}

/** Rows, as a query and as a live query, are those of the filter in SQL. */
export async function verifyRows(of: Case): Promise<void> {
  const { verdicts, role, table, permission, subject } = of;
  const expect = () => expectedRows(subject, () => of.sql.rows(table, permission, of.most + 1));
  const first = await expect();
  if (first.kind === "unknown") {
    verdicts.say("not-verified", cellOf(of), `the rows of ${table.rootField} that ${role} is served: ${first.reason}`);
    return;
  }
  for (const [kind, operation] of [["query", "query"], ["subscription", "live query"]] as const) {
    if (!permission.operations.has(operation)) continue;
    const wrong = await settled(expect, () => pages(of, kind), (served, expected) => wrongRows(of, served, expected));
    verdicts.count("rows", first.kind === "rows" ? Math.max(first.rows.length, 1) : 1);
    if (wrong !== undefined) verdicts.say("rows", cellOf(of), `${role}${sessionWords(of.variables)} ${wrong} (${table.rootField}, ${operation})`);
    await verifyLimit(of, kind, first);
  }
}

/** What a client asks for makes a list shorter, never longer. */
async function verifyLimit(of: Case, kind: "query" | "subscription", expected: Expected): Promise<void> {
  const { limit } = of.permission;
  if (limit === undefined || expected.kind !== "rows") return;
  const { field } = rootOf(of.table, kind === "query" ? "query" : "live query");
  for (const asked of ["", "limit: null", `limit: ${limit + 1}`, "limit: 2147483647"]) {
    const reply = await ask(of, documentOf(of.subject.access, kind, `${field}${argumentsOf(asked)} { __typename }`));
    const length = plainRows(rootValue(of.subject.access, reply, field)).length;
    of.verdicts.hold("limit", cellOf(of), length <= limit && reply.failure === undefined, () => `${of.role} is served ${length} rows of ${of.table.rootField} at once by (${asked || "no limit"}), and may have ${limit}`);
  }
}
