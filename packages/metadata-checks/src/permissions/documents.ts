import type { DeclaredAccess, DeclaredPermission, DeclaredTable, Operation } from "@routeql/metadata/declared/declared";
import type { DatabaseType } from "@routeql/metadata/catalog/catalog";
import type { Reply } from "./served.ts";

const roots = {
  query: ["query", "select"],
  "query by key": ["query", "select_by_pk"],
  "query aggregate": ["query", "select_aggregate"],
  "live query": ["subscription", "select"],
  "live query by key": ["subscription", "select_by_pk"],
  "live aggregate": ["subscription", "select_aggregate"],
  stream: ["subscription", "select_stream"],
} as const satisfies Record<Operation, readonly ["query" | "subscription", keyof DeclaredTable["roots"]]>;

/** Root field of an operation, and the kind of document it stands in. */
export function rootOf(table: DeclaredTable, operation: Operation): { readonly kind: "query" | "subscription"; readonly field: string } {
  const [kind, root] = roots[operation];
  return { kind, field: table.roots[root] };
}

/** Naming conventions spell arguments, operators and directions in their own way. */
function spelled(selection: string, naming: DeclaredAccess["naming"]): string {
  if (naming.convention === "hasura-default") return selection;
  return selection
    .replaceAll(/\b(order_by|distinct_on|batch_size|initial_value|_is_null)(?=:)/g, (name) => naming.field(name))
    .replaceAll(/(?<=\{\w+: )(asc|desc)(?=\})/g, (direction) => naming.enumValue(direction));
}

/** A document with one selection at its root, below the source's namespace if it has one; written as for Hasura's default names. */
export function documentOf({ namespace, naming }: Pick<DeclaredAccess, "namespace" | "naming">, kind: "query" | "subscription", selection: string): string {
  const body = spelled(selection, naming);
  return namespace === undefined ? `${kind} { ${body} }` : `${kind} { ${namespace} { ${body} } }`;
}

/** What stands below a response key of the root. */
export function rootValue({ namespace }: DeclaredAccess, reply: Reply, key: string): unknown {
  const data = namespace === undefined ? reply.data : (reply.data?.[namespace] as Readonly<Record<string, unknown>> | undefined);
  return data?.[key];
}

const unordered = new Set(["json", "xml", "point", "box", "path", "polygon", "line", "lseg", "circle", "raster"]);
/** Columns that the engine prints in a form of its own, or compares by a rule of their extension's. */
const printedOtherwise = new Set(["geometry", "geography", "raster"]);

export function isOrdered(type: DatabaseType | undefined): boolean {
  return type !== undefined && type.kind !== "composite" && !unordered.has(type.element?.name ?? type.name) && !printedOtherwise.has(type.element?.name ?? type.name);
}

function isComparedByValue(type: DatabaseType | undefined): boolean {
  return type !== undefined && !printedOtherwise.has(type.element?.name ?? type.name);
}

/** Types of which Postgres knows the largest and the smallest value, and Hasura asks for them. */
const extreme = new Set(["int2", "int4", "int8", "numeric", "float4", "float8", "text", "varchar", "bpchar", "date", "timetz", "timestamp", "timestamptz"]);

/** Columns whose `max` and `min` tell the same in GraphQL and in SQL. */
export function extremeColumns(table: DeclaredTable, permission: DeclaredPermission): readonly string[] {
  return permission.columns.filter((column) => extreme.has(table.types.get(column)?.name ?? ""));
}

/** A value as GraphQL text, from Postgres' own. */
export function literal(text: string, type: DatabaseType | undefined): string {
  const name = type?.name ?? "text";
  if (name === "bool") return text === "t" || text === "true" ? "true" : "false";
  if (/^(int2|int4|float4|float8)$/.test(name) && Number.isFinite(Number(text))) return text;
  return /^jsonb?$/.test(name) && text === "{}" ? text : JSON.stringify(text);
}

/** A column as GraphQL has it. */
export function fieldOf(table: DeclaredTable, column: string): string {
  return table.fields.get(column) ?? column;
}

/** Columns whose values tell the same in GraphQL and in SQL. */
export function valueColumns(table: DeclaredTable, permission: DeclaredPermission): readonly string[] {
  return permission.columns.filter((column) => isComparedByValue(table.types.get(column)));
}

/** Columns to order by: the key first, then everything else that has an order, so that rows alike in all of them are alike. */
export function orderColumns(table: DeclaredTable, permission: DeclaredPermission): readonly string[] {
  const ordered = permission.columns.filter((column) => isOrdered(table.types.get(column)));
  const key = (table.primaryKey ?? []).filter((column) => ordered.includes(column));
  const isWhole = key.length > 0 && key.length === table.primaryKey?.length && key.every((column) => !permission.cells.has(column));
  return isWhole ? key : ordered;
}
