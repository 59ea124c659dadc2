import { type DeclaredAccess, type DeclaredTable, UnderivableMetadata } from "./declared.ts";

const symbols: Readonly<Record<string, readonly [sql: string, words: string]>> = {
  _eq: ["=", "is"],
  _neq: ["<>", "is not"],
  _gt: [">", "is above"],
  _lt: ["<", "is below"],
  _gte: [">=", "is at least"],
  _lte: ["<=", "is at most"],
};

type Filter = Readonly<Record<string, unknown>>;

/** One filter read into its parts; `path` are the relationships from the permission's table on. */
interface Style {
  comparison(alias: string, path: readonly string[], column: string, operator: string, value: unknown): string;
  related(alias: string, inner: string, table: DeclaredTable, mapping: Readonly<Record<string, string>>, where: string): string;
  none: string;
  not(item: string): string;
}

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`;

function sqlValue(value: unknown, session: (name: string) => string): string {
  if (typeof value === "string") return /^x-hasura-/i.test(value) ? session(value.toLowerCase()) : quoted(value);
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  throw new UnderivableMetadata(`a filter compares with ${JSON.stringify(value)}`);
}

/**
 * The filter as an SQL condition over `alias`, written apart from the engine's own.
 * @param session SQL of a session variable's value, by its lower-case name
 */
export function filterSql(access: DeclaredAccess, table: string, filter: Filter, alias: string, session: (name: string) => string): string {
  return read(access, table, filter, alias, [], {
    comparison: (row, _path, column, operator, value) => {
      if (operator === "_is_null") return `${row}.${column} is ${value === true ? "" : "not "}null`;
      return `${row}.${column} ${symbolOf(operator)[0]} ${sqlValue(value, session)}`;
    },
    related: (row, inner, target, mapping, where) => {
      const join = Object.entries(mapping).map(([own, other]) => `${inner}.${other} = ${row}.${own}`);
      return `exists (select from ${target.key} ${inner} where ${[...join, ...(where === "true" ? [] : [where])].join(" and ")})`;
    },
    none: "true",
    not: (item) => `not (${item})`,
  });
}

/** The filter in words. */
export function filterWords(access: DeclaredAccess, table: string, filter: Filter): string {
  return read(access, table, filter, "row", [], {
    comparison: (_row, path, column, operator, value) => {
      const place = [...path, column].map((name) => `\`${name}\``).join(" → ");
      if (operator === "_is_null") return `${place} is ${value === true ? "" : "not "}null`;
      const said = typeof value === "string" && /^x-hasura-/i.test(value) ? `the session's \`${value.toLowerCase()}\`` : `\`${String(value)}\``;
      return `${place} ${symbolOf(operator)[1]} ${said}`;
    },
    related: (_row, _inner, _target, _mapping, where) => where,
    none: "every row",
    not: (item) => `not: ${item}`,
  });
}

function symbolOf(operator: string): readonly [string, string] {
  const symbol = symbols[operator];
  if (symbol === undefined) throw new UnderivableMetadata(`a filter has the operator ${operator}`);
  return symbol;
}

const isFilter = (value: unknown): value is Filter => typeof value === "object" && value !== null && !Array.isArray(value);

function filtersIn(value: unknown): readonly Filter[] {
  if (Array.isArray(value) && value.every(isFilter)) return value;
  throw new UnderivableMetadata("_and and _or take a list of filters");
}

function read(access: DeclaredAccess, tableKey: string, filter: Filter, alias: string, path: readonly string[], style: Style): string {
  const table = access.tables.get(tableKey);
  if (table === undefined) throw new UnderivableMetadata(`a filter goes to ${tableKey}, which is not tracked`);
  const below = (inner: Filter) => read(access, tableKey, inner, alias, path, style);
  const several = (value: unknown, separator: string) => {
    const parts = filtersIn(value).map(below);
    return parts.length === 1 ? parts.join("") : `(${parts.join(separator)})`;
  };
  const parts = Object.entries(filter).flatMap(([key, value]): string[] => {
    if (key === "_and") return filtersIn(value).map(below);
    if (key === "_or") return [several(value, " or ")];
    if (!isFilter(value)) return [style.comparison(alias, path, key, "_eq", value)];
    if (key === "_not") return [style.not(below(value))];
    const relationship = table.relationships.find(({ name }) => name === key);
    if (relationship === undefined) {
      return Object.entries(value).map(([operator, given]) => style.comparison(alias, path, key, operator, given));
    }
    const target = access.tables.get(relationship.target);
    if (target === undefined) throw new UnderivableMetadata(`${tableKey}.${key} leads to ${relationship.target}, which is not tracked`);
    const inner = `${alias}_${key}`;
    const where = read(access, target.key, value, inner, [...path, key], style);
    return [style.related(alias, inner, target, relationship.mapping, where)];
  });
  return parts.length === 0 ? style.none : parts.join(" and ");
}
