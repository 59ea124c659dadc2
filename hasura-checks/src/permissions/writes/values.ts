import { randomUUID } from "node:crypto";
import type { CatalogTable } from "@routeql/metadata/catalog/catalog";
import type { DeclaredPermission, DeclaredTable, Filter } from "../../declared/declared.ts";
import { sessionVariable } from "@routeql/metadata/filter-names";
import { identifier, quoted } from "../../declared/filter-text.ts";
import { keyOf } from "../../declared/tables.ts";
import type { DeclaredWrite } from "../../declared/writes.ts";
import { mutationFieldNames } from "@routeql/metadata/naming";
import { placeholder } from "../observe/sessions.ts";
import type { Variables } from "../observe/served.ts";
import { Sql } from "../observe/sql.ts";
import type { Subject } from "../observe/subject.ts";

/** A value of a column: as Postgres writes it, and in a GraphQL variable. */
export interface Value {
  readonly text: string | null;
  readonly json: unknown;
}

export type Values = ReadonlyMap<string, Value>;

export interface Sample {
  /** Whether the row meets the condition of the permission. */
  readonly meets: boolean;
  /** Whether the role may read the row. */
  readonly visible: boolean;
  readonly values: Values;
}

/** A table that a role may change in one session. */
export interface Target {
  readonly subject: Subject;
  readonly role: string;
  readonly variables: Variables;
  readonly sql: Sql;
  readonly table: DeclaredTable;
  readonly catalog: CatalogTable;
  readonly select: DeclaredPermission | undefined;
  readonly names: ReturnType<typeof mutationFieldNames>;
  /** The primary key, if the role may read all its columns. */
  readonly key: readonly string[] | undefined;
}

export function targetOf(subject: Subject, role: string, variables: Variables, key: string): Target | undefined {
  const { access, catalog, metadata } = subject;
  const [table, found] = [access.tables.get(key), catalog.tables.get(key)];
  const entry = metadata.sources[0]?.tables.find((one) => keyOf(one.table) === key);
  if (table === undefined || found === undefined || entry === undefined) return undefined;
  const select = access.permission(role, key);
  const isReadable = (column: string) => select?.columns.includes(column) === true && !select.cells.has(column);
  return {
    subject,
    role,
    variables,
    sql: new Sql(access, role, variables),
    table,
    catalog: found,
    select,
    names: mutationFieldNames(entry, table.names, access.naming),
    key: table.primaryKey?.every(isReadable) === true ? table.primaryKey : undefined,
  };
}

export function settable({ catalog }: Pick<Target, "catalog">, { columns }: DeclaredWrite): readonly string[] {
  return columns.filter((column) => catalog.columns.get(column)?.isGenerated === false);
}

function valueOf({ table }: Target, column: string, text: string | null, json?: unknown): Value {
  const name = table.types.get(column)?.name ?? "text";
  if (text === null) return { text, json: null };
  if (typeof json === "object") return { text, json };
  if (/^(int2|int4|float4|float8)$/.test(name) && Number.isFinite(Number(text))) return { text, json: Number(text) };
  if (name === "bool") return { text, json: text.startsWith("t") };
  if (/^jsonb?$/.test(name)) return { text, json: json ?? JSON.parse(text) };
  return { text, json: table.enums.get(column) === true ? text.toUpperCase() : text };
}

/** Whether an engine knows the value: it reads the values of enum tables when it loads the metadata. */
function isKnown({ subject, table, catalog }: Target, column: string, { text }: Value): boolean {
  if (text === null || !table.enums.has(column)) return true;
  const known = catalog.foreignKeys.flatMap((key) =>
    key.columns[0] === column ? (subject.catalog.enums.get(keyOf(key.target)) ?? []) : [],
  );
  return known.some(({ value }) => value === text);
}

/** Some rows that meet a condition, and some that do not. */
export async function samplesOf(target: Target, condition: string, most: number): Promise<readonly Sample[]> {
  const { subject, sql, table, select } = target;
  const columns = [...table.types.keys()];
  const visible = select === undefined ? "false" : `(${sql.filter(select, "it")}) is true`;
  const order = (table.primaryKey ?? []).map((column) => `it.${identifier(column)}`);
  const part = (is: string) =>
    `(select ((${condition}) ${is})::text, (${visible})::text, json_build_array(${columns.map((column) => `to_json(it.${identifier(column)})`).join(", ")})::text, ${columns.map((column) => `it.${identifier(column)}::text`).join(", ")} from ${sql.from(table, "it")} where (${condition}) ${is}${order.length === 0 ? "" : ` order by ${order.join(", ")}`} limit ${most})`;
  const rows = await subject.database.rows(`${part("is true")} union all ${part("is not true")}`);
  const samples = rows.map(([, shown, json, ...texts], index) => {
    const values = JSON.parse(json ?? "[]") as readonly unknown[];
    return {
      meets: rows[index]?.[0] === "true",
      visible: shown === "true",
      values: new Map(
        columns.map((column, at) => [column, valueOf(target, column, texts[at] ?? null, values[at])] as const),
      ),
    };
  });
  return samples.filter(({ values }) => [...values].every(([column, value]) => isKnown(target, column, value)));
}

/** Constants and session variables that a condition compares with a column. */
function compared(condition: unknown, column: string, variables: Variables, isBelow = false): readonly string[] {
  if (typeof condition === "object" && condition !== null)
    return Object.entries(condition).flatMap(([name, value]) =>
      compared(value, column, variables, isBelow || name === column),
    );
  if (!isBelow || condition === undefined || condition === null) return [];
  const name = sessionVariable(condition);
  if (name !== undefined) {
    const value = variables[name];
    return value === undefined ? [] : [value];
  }
  if (typeof condition === "string") return [condition];
  // Values below and above a limit.
  return typeof condition === "number"
    ? [condition, condition - 1, condition + 1].map(String)
    : [JSON.stringify(condition)];
}

/** Whether a condition depends on a column of the table itself, or on a row that the column refers to. */
export function dependsOn({ table }: Pick<Target, "table">, condition: unknown, column: string): boolean {
  const leads = new Set(table.relationships.filter(({ mapping }) => column in mapping).map(({ name }) => name));
  return Object.entries(typeof condition === "object" && condition !== null ? condition : {}).some(
    ([name, value]) =>
      name === column || leads.has(name) || (/^[_$\d]/.test(name) && dependsOn({ table }, value, column)),
  );
}

const mostValues = 8;

/** Values that can make a condition true or false, and values of rows that the column may refer to. */
export async function candidates(
  target: Target,
  column: string,
  conditions: readonly (Filter | undefined)[],
  samples: readonly Sample[],
): Promise<readonly Value[]> {
  const { subject, table, catalog, variables } = target;
  const key = catalog.foreignKeys.find(({ columns }) => columns.length === 1 && columns[0] === column);
  const referred =
    key === undefined
      ? []
      : await subject.database.rows(
          `select it.${identifier(key.targetColumns[0] ?? "")}::text from ${identifier(key.target.schema)}.${identifier(key.target.name)} it order by 1 limit 4`,
        );
  const texts = [
    ...conditions.flatMap((condition) => compared(condition, column, variables)),
    ...referred.flatMap(([text]) => text ?? []),
  ].map((text) => valueOf(target, column, text));
  const own = samples.flatMap(({ values }) => values.get(column) ?? []);
  const others = [
    ...(key === undefined && table.types.get(column)?.element === undefined
      ? [valueOf(target, column, placeholder(table.types.get(column)))]
      : []),
    ...(catalog.columns.get(column)?.nullable === true ? [{ text: null, json: null }] : []),
  ];
  const known = [...texts, ...own].filter((value) => isKnown(target, column, value));
  const all = new Map(known.map((value) => [value.text, value]));
  return [...[...all.values()].slice(0, mostValues - others.length), ...others];
}

/** References whose default is the next number of a sequence. Whether that row exists depends on earlier attempts. */
export async function numberedReferences({ subject, table, catalog }: Target): Promise<readonly string[]> {
  const references = catalog.foreignKeys.flatMap(({ columns }) => columns);
  if (references.length === 0) return [];
  const numbered = await subject.database.rows(
    `select attname::text from pg_attribute join pg_attrdef on adrelid = attrelid and adnum = attnum where attrelid = ${quoted(`${identifier(table.schema)}.${identifier(table.name)}`)}::regclass and pg_get_expr(adbin, adrelid) like 'nextval(%'`,
  );
  return references.filter((column) => numbered.some(([name]) => name === column));
}

let made = 0;

function renewed(type: string, text: string): string | undefined {
  if (type === "uuid") return randomUUID();
  made += 1;
  if (/^(int4|int8|numeric)$/.test(type)) return String(1_000_000_000 + made);
  if (type === "int2") return String(20_000 + (made % 10_000));
  return /^(text|varchar|bpchar|citext)$/.test(type) ? `${text}-${made}` : undefined;
}

/** The values of a new row, other than those of a sample where an index requires it. */
export function fresh(target: Target, values: Values): Values {
  const { catalog, table } = target;
  const row = new Map(values);
  for (const { columns } of catalog.unique) {
    if (!columns.every((column) => row.has(column))) continue;
    for (const column of columns) {
      const refers = catalog.foreignKeys.some((key) => key.columns.includes(column));
      const text = refers ? undefined : renewed(table.types.get(column)?.name ?? "", row.get(column)?.text ?? "");
      if (text === undefined) continue;
      row.set(column, valueOf(target, column, text));
      break;
    }
  }
  return row;
}

export const valueSql = ({ text }: Value): string => (text === null ? "null" : quoted(text));
