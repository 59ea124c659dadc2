import { identifier, quoted } from "../../declared/filter-text.ts";
import { Expectation, expectedRows, type Row } from "../observe/answers.ts";
import { documentOf, fieldOf, literalOf, rootOf, rootValue } from "../observe/documents.ts";
import {
  argumentsOf,
  type Case,
  differing,
  fromOf,
  plainRows,
  report,
  rootFieldOf,
  rowsAt,
  rowsStatement,
  selectionOf,
} from "./rows.ts";

/** Number of hidden and of visible rows that are queried one by one. */
const samples = 4;

const askable = new Set([
  "text",
  "varchar",
  "bpchar",
  "citext",
  "uuid",
  "int2",
  "int4",
  "int8",
  "numeric",
  "date",
  "timestamp",
  "timestamptz",
  "inet",
  "cidr",
  "bool",
]);

interface Known {
  /** Texts of the values by column; null for null. */
  readonly values: ReadonlyMap<string, string | null>;
  readonly visible: boolean;
}

/** Some rows that the filter hides and some that it shows, with values that an attacker may know. */
async function known(of: Case, columns: readonly string[]): Promise<readonly Known[]> {
  const { subject, sql, permission } = of;
  const texts = columns.map((column) => `it.${identifier(column)}::text`);
  const filter = sql.filter(permission, "it");
  const part = (condition: string, visible: boolean) =>
    `(select ${visible}::text, ${texts.join(", ")} from ${fromOf(of, "it")} where ${condition} limit ${samples})`;
  const rows = await subject.database.rows(`${part(`(${filter}) is not true`, false)} union all ${part(filter, true)}`);
  return rows.map(([visible, ...values]) => ({
    visible: visible === "true",
    values: new Map(columns.map((column, index) => [column, values[index] ?? null])),
  }));
}

function conditionSql(row: Known, columns: readonly string[]): string {
  return columns
    .map((column) => {
      const value = row.values.get(column) ?? null;
      return `it.${identifier(column)} ${value === null ? "is null" : `= ${quoted(value)}`}`;
    })
    .join(" and ");
}

function conditionGraphQL({ table }: Case, row: Known, columns: readonly string[]): string {
  return columns
    .map((column) => {
      const value = row.values.get(column) ?? null;
      const comparison = value === null ? "_is_null: true" : `_eq: ${literalOf(table, column, value)}`;
      return `{${fieldOf(table, column)}: {${comparison}}}`;
    })
    .join(", ");
}

/** Searches rows by known values: by key, by conditions, by counting and through relationships. */
export async function verifyHiddenRows(of: Case): Promise<void> {
  const { table, permission, subject } = of;
  const columns = permission.columns.filter(
    (column) =>
      !permission.cells.has(column) && !table.enums.has(column) && askable.has(table.types.get(column)?.name ?? ""),
  );
  if (columns.length === 0) return;
  let rows: readonly Known[];
  try {
    rows = await known(of, columns);
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code === undefined && !message.startsWith("missing")) throw error;
    return;
  }
  for (const row of rows) {
    const statement = () => rowsStatement(of, of.most, conditionSql(row, columns));
    const expectation = new Expectation(() => expectedRows(subject, statement));
    await byValues(of, row, columns, expectation);
    await byKey(of, row, expectation);
    if (of.call === undefined) await throughRelationships(of, row, columns);
  }
}

async function byValues(of: Case, row: Known, columns: readonly string[], expectation: Expectation): Promise<void> {
  const { subject, table, permission } = of;
  for (const operation of ["query", "live query", "query aggregate"] as const) {
    if (!permission.operations.has(operation)) continue;
    const { kind } = rootOf(table, operation);
    const field = rootFieldOf(of, operation);
    const where = argumentsOf(of, `where: {_and: [${conditionGraphQL(of, row, columns)}]}`);
    const aggregate = operation === "query aggregate";
    const selection = aggregate ? "aggregate { count }" : selectionOf(of);
    const document = documentOf(subject.access, kind, `${field}${where} { ${selection} }`);
    const wrong = await differing(of, expectation, document, (reply, rows) => {
      // A count has no limit.
      const wanted = Math.min(rows.length, (aggregate ? undefined : permission.limit) ?? Number.POSITIVE_INFINITY);
      if (wanted >= of.most) return undefined;
      const value = rootValue(subject.access, reply, field);
      const found = aggregate
        ? Number((value as { aggregate: { count: string } }).aggregate.count.slice(1))
        : rowsAt(of, reply, field).length;
      return found === wanted
        ? undefined
        : `finds ${found} rows by the values of a ${row.visible ? "served" : "hidden"} row, and the filter gives ${wanted}`;
    });
    report(of, "hidden-rows", wrong, `${field}, ${operation}`);
  }
}

async function byKey(of: Case, row: Known, expectation: Expectation): Promise<void> {
  const { subject, table, permission } = of;
  const key = table.primaryKey ?? [];
  for (const operation of ["query by key", "live query by key"] as const) {
    if (!permission.operations.has(operation) || !key.every((column) => typeof row.values.get(column) === "string"))
      continue;
    const { kind, field } = rootOf(table, operation);
    const args = key
      .map((column) => `${fieldOf(table, column)}: ${literalOf(table, column, row.values.get(column) ?? "")}`)
      .join(", ");
    const document = documentOf(subject.access, kind, `${field}(${args}) { ${selectionOf(of)} }`);
    const wrong = await differing(of, expectation, document, (reply, [wanted = null]: readonly (Row | null)[]) => {
      const found = rootValue(subject.access, reply, field) ?? null;
      const same = JSON.stringify(found === null ? null : plainRows([found])[0]) === JSON.stringify(wanted);
      return same
        ? undefined
        : `is ${found === null ? "not served" : "served"} a ${row.visible ? "row that the filter lets through" : "hidden row"} by its key`;
    });
    report(of, "hidden-rows", wrong, `${field}, ${operation}`);
  }
}

/** Checks that queries of other tables do not reveal hidden rows. */
async function throughRelationships(of: Case, row: Known, columns: readonly string[]): Promise<void> {
  const { subject, role, table } = of;
  for (const from of subject.access.tables.values()) {
    const permission = subject.access.permission(role, from.key);
    if (permission?.operations.has("query") !== true) continue;
    for (const { name, target, mapping } of from.relationships) {
      if (target !== table.key) continue;
      const join = Object.entries(mapping).map(([own, other]) => `it.${identifier(other)} = parent.${identifier(own)}`);
      const statement = () => {
        const condition = [...join, `(${of.sql.filter(of.permission, "it")})`, conditionSql(row, columns)].join(
          " and ",
        );
        const related = `exists (select from ${of.sql.from(table, "it")} where ${condition})`;
        const parents = `select from ${of.sql.from(from, "parent")} where (${of.sql.filter(permission, "parent")})`;
        return `select to_json(exists (${parents} and ${related}))::text`;
      };
      const expectation = new Expectation(() => expectedRows(subject, statement));
      const root = from.roots.select;
      const where = `{${name}: {_and: [${conditionGraphQL(of, row, columns)}]}}`;
      const document = documentOf(subject.access, "query", `${root}(limit: 1, where: ${where}) { __typename }`);
      const wrong = await differing(of, expectation, document, (reply, rows) => {
        if (permission.limit === 0) return undefined;
        const found = plainRows(rootValue(subject.access, reply, root)).length > 0;
        const [wanted] = rows as unknown as readonly [boolean];
        return found === wanted
          ? undefined
          : `${found ? "finds" : "does not find"} rows of ${from.rootField} by a ${row.visible ? "served" : "hidden"} row of ${table.rootField}`;
      });
      report(of, "hidden-rows", wrong, `${root}.${name}`, { cell: { role, table: from.key, name } });
    }
  }
}
