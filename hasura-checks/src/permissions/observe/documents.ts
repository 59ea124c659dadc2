import type { DeclaredAccess, DeclaredPermission, DeclaredTable, Operation } from "../../declared/declared.ts";
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

/** Root field of an operation, and the kind of its document. */
export function rootOf(
  table: DeclaredTable,
  operation: Operation,
): { readonly kind: "query" | "subscription"; readonly field: string } {
  const [kind, root] = roots[operation];
  return { kind, field: table.roots[root] };
}

/** Spells arguments, operators and directions by the naming convention. */
function spelled(selection: string, naming: DeclaredAccess["naming"]): string {
  if (naming.convention === "hasura-default") return selection;
  return selection
    .replaceAll(/\b(order_by|distinct_on|batch_size|initial_value|_is_null)(?=:)/g, (name) => naming.field(name))
    .replaceAll(/(?<=\{\w+: )(asc|desc)(?=\})/g, (direction) => naming.enumValue(direction));
}

/** A document with one selection at its root, below the source's namespace, in Hasura's default names. @param kind with its variables */
export function documentOf(
  { namespace, naming }: Pick<DeclaredAccess, "namespace" | "naming">,
  kind: string,
  selection: string,
): string {
  const body = spelled(selection, naming);
  return namespace === undefined ? `${kind} { ${body} }` : `${kind} { ${namespace} { ${body} } }`;
}

export function rootValue({ namespace }: DeclaredAccess, reply: Reply, key: string): unknown {
  const data =
    namespace === undefined ? reply.data : (reply.data?.[namespace] as Readonly<Record<string, unknown>> | undefined);
  return data?.[key];
}

const unordered = new Set(["json", "xml", "point", "box", "path", "polygon", "line", "lseg", "circle", "raster"]);
/** Types with a special output format, or with a comparison that their extension defines. */
const printedOtherwise = new Set(["geometry", "geography", "raster"]);

export function isOrdered(type: DatabaseType | undefined): boolean {
  return (
    type !== undefined &&
    type.kind !== "composite" &&
    !unordered.has(type.element?.name ?? type.name) &&
    !printedOtherwise.has(type.element?.name ?? type.name)
  );
}

function isComparedByValue(type: DatabaseType | undefined): boolean {
  return type !== undefined && !printedOtherwise.has(type.element?.name ?? type.name);
}

/** Types with `max` and `min` in Postgres and in Hasura. */
const extreme = new Set([
  "int2",
  "int4",
  "int8",
  "numeric",
  "float4",
  "float8",
  "text",
  "varchar",
  "bpchar",
  "date",
  "timetz",
  "timestamp",
  "timestamptz",
]);

/** Columns whose `max` and `min` have the same text in GraphQL and in SQL. */
export function extremeColumns(table: DeclaredTable, permission: DeclaredPermission): readonly string[] {
  return permission.columns.filter((column) => extreme.has(table.types.get(column)?.name ?? ""));
}

/** A value of Postgres as a GraphQL literal. */
export function literal(text: string, type: DatabaseType | undefined): string {
  const name = type?.name ?? "text";
  if (name === "bool") return text === "t" || text === "true" ? "true" : "false";
  if (/^(int2|int4|float4|float8)$/.test(name) && Number.isFinite(Number(text))) return text;
  return /^jsonb?$/.test(name) && text === "{}" ? text : JSON.stringify(text);
}

/** A value of a column as a GraphQL literal; of an enum its name. */
export function literalOf({ enums, types }: DeclaredTable, column: string, text: string): string {
  const inCapitals = enums.get(column);
  if (inCapitals === undefined) return literal(text, types.get(column));
  return inCapitals ? text.toUpperCase() : text;
}

/** The GraphQL name of a column. */
export function fieldOf(table: DeclaredTable, column: string): string {
  return table.fields.get(column) ?? column;
}

/** Columns whose values have the same text in GraphQL and in SQL. */
export function valueColumns(table: DeclaredTable, permission: DeclaredPermission): readonly string[] {
  return permission.columns.filter((column) => isComparedByValue(table.types.get(column)));
}

/** Columns for a total order: the key, or else all columns with an order. */
export function orderColumns(table: DeclaredTable, permission: DeclaredPermission): readonly string[] {
  const ordered = permission.columns.filter((column) => isOrdered(table.types.get(column)));
  const key = (table.primaryKey ?? []).filter((column) => ordered.includes(column));
  const isWhole =
    key.length > 0 && key.length === table.primaryKey?.length && key.every((column) => !permission.cells.has(column));
  return isWhole ? key : ordered;
}
