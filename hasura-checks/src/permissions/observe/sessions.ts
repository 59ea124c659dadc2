import type { DatabaseType } from "@routeql/metadata/catalog/catalog";
import type { DeclaredAccess, Filter } from "../../declared/declared.ts";
import { type FilterNode, type Operand, readFilter } from "../../declared/filter-tree.ts";
import { identifier } from "../../declared/filter-text.ts";
import type { DeclaredTable } from "../../declared/tables.ts";
import { UnderivableMetadata } from "../../declared/permission.ts";
import type { ReadOnlyDatabase } from "../../metadata/database.ts";
import type { Variables } from "./served.ts";

/** A comparison of a session variable with a column. */
interface Use {
  readonly table: DeclaredTable;
  readonly column: string;
  readonly type: DatabaseType | undefined;
  /** The operator of the comparison, as `_eq`. */
  readonly operator: string;
  readonly isList: boolean;
}

export type Uses = ReadonlyMap<string, readonly Use[]>;

function usesIn(node: FilterNode, table: DeclaredTable, found: Map<string, Use[]>): void {
  switch (node.kind) {
    case "and":
    case "or":
      for (const item of node.items) usesIn(item, table, found);
      break;
    case "not":
      usesIn(node.item, table, found);
      break;
    case "related":
    case "computed rows":
    case "exists":
      usesIn(node.where, node.target, found);
      break;
    case "compare": {
      const given = "kind" in node.with ? [node.with] : node.with;
      for (const comparand of given) {
        if (comparand.kind !== "session") continue;
        const isList = !Array.isArray(node.with) && /^_(n?in|has_keys_any|has_keys_all)$/.test(node.operator);
        found.set(comparand.name, [
          ...(found.get(comparand.name) ?? []),
          {
            table,
            ...columnOf(node.operand),
            operator: node.operator,
            isList: isList || node.operand.type?.element !== undefined,
          },
        ]);
      }
      break;
    }
    default:
  }
}

const columnOf = (operand: Operand): { column: string; type: DatabaseType | undefined } =>
  operand.kind === "column"
    ? { column: operand.name, type: operand.type }
    : operand.kind === "cast"
      ? columnOf(operand.of)
      : { column: "", type: operand.type };

/** Session variables of a filter and the columns that it compares them with; none for a filter that cannot be read. */
export function variablesOf(
  access: Pick<DeclaredAccess, "tables">,
  table: DeclaredTable,
  filters: readonly Filter[],
): Uses {
  const found = new Map<string, Use[]>();
  for (const filter of filters) {
    try {
      usesIn(readFilter({ tables: new Map([...access.tables, [table.key, table]]) }, table.key, filter), table, found);
    } catch (error) {
      if (!(error instanceof UnderivableMetadata)) throw error;
    }
  }
  found.delete("x-hasura-role");
  return found;
}

const realValues = 3;
const arrayLiteral = (values: readonly string[]) =>
  `{${values.map((value) => `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`).join(",")}}`;

/** A table as an item of FROM in SQL; undefined if that is not known. */
export type PlaceOf = (table: DeclaredTable) => string | undefined;

/** Values of the compared columns, in the form of a session variable. */
async function valuesOf(
  uses: readonly Use[],
  database: Pick<ReadOnlyDatabase, "rows">,
  placeOf: PlaceOf,
): Promise<readonly string[]> {
  const values: string[] = [];
  for (const { table, column, type, isList } of uses) {
    const place = placeOf(table);
    if (!table.types.has(column) || place === undefined) continue;
    const name = `it.${identifier(column)}`;
    const [from, value] = type?.element === undefined ? ["", name] : [`, unnest(${name}) as element`, "element"];
    const rows = await database.rows(
      `select distinct value from (select (${value})::text as value from ${place} it${from} where ${value} is not null limit 10000) s order by 1 limit ${realValues}`,
    );
    const found = rows.flatMap(([text]) => text ?? []);
    values.push(
      ...(isList
        ? [...found.map((item) => arrayLiteral([item])), ...(found.length > 1 ? [arrayLiteral(found)] : [])]
        : found),
    );
  }
  return [...new Set(values)].slice(0, realValues + 1);
}

/** A value of a type, as Postgres writes it. */
export function placeholder(type: DatabaseType | undefined): string {
  const name = type?.name ?? "text";
  if (/^(int|float|numeric|money)/.test(name)) return "0";
  if (name === "uuid") return "00000000-0000-4000-8000-000000000000";
  if (name === "bool") return "false";
  if (/^(date|timestamp)/.test(name)) return "2000-01-01";
  if (name.startsWith("json")) return "{}";
  if (/^(inet|cidr)/.test(name)) return "192.0.2.0";
  return "no-such-value";
}

/** A value for a variable whose columns hold none. */
const placeholderOf = ([use]: readonly Use[]): string => (use?.isList === true ? "{}" : placeholder(use?.type));

/** Sessions of a role with several values of the database for each variable; one session for a role whose filters use none. */
export async function realSessions(
  uses: Uses,
  database: Pick<ReadOnlyDatabase, "rows">,
  placeOf: PlaceOf,
): Promise<readonly Variables[]> {
  let sessions: Record<string, string>[] = [{}];
  let most = 1;
  const lists: (readonly [string, readonly string[]])[] = [];
  for (const [name, places] of uses) {
    const values = await valuesOf(places, database, placeOf);
    lists.push([name, values.length === 0 ? [placeholderOf(places)] : values]);
    most = Math.max(most, values.length);
  }
  sessions = Array.from({ length: most }, (_none, index) =>
    Object.fromEntries(lists.map(([name, values]) => [name, values[index % values.length] ?? ""])),
  );
  // With several variables, also combine values of different rows.
  if (lists.length > 1) {
    sessions.push(...lists.map(([name, values]) => ({ ...sessions[0], [name]: values.at(-1) ?? "" })));
  }
  return [...new Map(sessions.map((session) => [JSON.stringify(session), session])).values()];
}

/** A value of the type that no row is expected to hold; undefined for types with few values. */
function strangeValue({ type, isList }: Use): string | undefined {
  if (isList) return "{}";
  switch (type?.name) {
    case "uuid":
      return "00000000-0000-4000-8000-000000000000";
    case "text":
    case "varchar":
    case "bpchar":
    case "citext":
      return "no-such-value";
    case "int2":
    case "int4":
    case "int8":
    case "numeric":
      return "-32768";
    default:
      return undefined;
  }
}

/** A session whose values no row holds; undefined without variables, and for types with few values. */
export function strangerSession(uses: Uses): Variables | undefined {
  const values = [...uses].map(([name, [use]]) => [name, use === undefined ? undefined : strangeValue(use)] as const);
  return values.length === 0 || values.some(([, value]) => value === undefined)
    ? undefined
    : (Object.fromEntries(values) as Variables);
}

/** Values that no token should carry and an attacker may send. @param real a value of the database */
export function hostileValues(real: string, other: string): readonly (readonly [what: string, value: string])[] {
  return [
    ["empty", ""],
    ["a space", " "],
    ["null", "null"],
    ["NULL", "NULL"],
    ["a quote", "'"],
    ["quotes that end a text", "' or '1'='1"],
    ["quotes and a comment", `${real}' --`],
    ["a statement", "'; drop table pg_class; --"],
    ["a dollar quote", `$$${real}$$`],
    ["a parameter's place", "$1"],
    ["a cast", `${real}::text`],
    ["an empty list", "{}"],
    ["a list", `{${real},${other}}`],
    ["a list with a null", `{NULL,${real}}`],
    ["a nested list", `{{${real}},{${other}}}`],
    ["half a list", `{${real}`],
    ["JSON's list", JSON.stringify([real, other])],
    ["JSON's object", '{"_neq":""}'],
    ["values with a comma", `${real},${other}`],
    ["a pattern", "%"],
    ["a regular expression", ".*"],
    ["a backslash", `${real}\\`],
    ["zero", "0"],
    ["a negative number", "-1"],
    ["a number out of range", "99999999999999999999999"],
    ["no number", "NaN"],
    ["true", "true"],
    ["a name of a session variable", "x-hasura-user-id"],
    ["another case", real.toUpperCase() === real ? real.toLowerCase() : real.toUpperCase()],
    ["a space before", ` ${real}`],
    ["a space after", `${real} `],
    ["a line break after", `${real}\n`],
    ["an invisible character", `${real}\u200B`],
    ["half of a surrogate pair", `${real}\uD800`],
    ["a null byte", `${real}\0`],
    ["ten thousand characters", "a".repeat(10_000)],
  ];
}
