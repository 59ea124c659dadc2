import type { DeclaredAccess, Filter } from "./declared.ts";
import { type Comparand, type FilterNode, type Operand, readFilter } from "./filter-tree.ts";
import { underivable } from "./permission.ts";

type Tables = Pick<DeclaredAccess, "tables">;

/** Operators between two values: in SQL, and in words. */
const symbols: Readonly<Record<string, readonly [sql: string, words: string]>> = {
  _eq: ["=", "is"],
  _neq: ["<>", "is not"],
  _gt: [">", "is above"],
  _lt: ["<", "is below"],
  _gte: [">=", "is at least"],
  _lte: ["<=", "is at most"],
  _like: ["like", "is like"],
  _nlike: ["not like", "is not like"],
  _ilike: ["ilike", "is, in any case, like"],
  _nilike: ["not ilike", "is not, in any case, like"],
  _similar: ["similar to", "is similar to"],
  _nsimilar: ["not similar to", "is not similar to"],
  _regex: ["~", "matches"],
  _nregex: ["!~", "does not match"],
  _iregex: ["~*", "matches, in any case,"],
  _niregex: ["!~*", "does not match, in any case,"],
  _contains: ["@>", "contains"],
  _contained_in: ["<@", "is contained in"],
  _has_key: ["?", "has the key"],
  _has_keys_any: ["?|", "has any of the keys"],
  _has_keys_all: ["?&", "has all of the keys"],
  _ancestor: ["@>", "is an ancestor of"],
  _descendant: ["<@", "is a descendant of"],
};

const spatial = /^_st_(contains|crosses|equals|overlaps|touches|within|intersects|3d_intersects)$/;

/** Operators with text on the right side for every type of column. */
const takesText = /^_(has_key|has_keys_any|has_keys_all|n?i?like|n?similar|n?i?regex)$/;

interface Scope {
  readonly alias: string;
  readonly root: string;
  session(name: string): string;
}

/** The filter as SQL on `alias`, independent of the engine. @param session SQL of a variable's value @throws UnderivableMetadata */
export function filterSql(
  access: Tables,
  table: string,
  filter: Filter,
  alias: string,
  session: (name: string) => string,
): string {
  return sqlOf(readFilter(access, table, filter), { alias, root: alias, session });
}

function joined(parts: readonly string[], separator: string, none: string): string {
  if (parts.length === 0) return none;
  return parts.length === 1 ? parts.join("") : `(${parts.join(separator)})`;
}

function sqlOf(node: FilterNode, scope: Scope): string {
  switch (node.kind) {
    case "and": {
      const parts = node.items.map((item) => sqlOf(item, scope)).filter((part) => part !== "true");
      return parts.length === 0 ? "true" : parts.join(" and ");
    }
    case "or":
      if (node.items.some(isEmpty)) return "true"; // The session variables of the other conditions do not matter.
      return joined(
        node.items.map((item) => grouped(item, sqlOf(item, scope))),
        " or ",
        "false",
      );
    case "not":
      return `not (${sqlOf(node.item, scope)})`;
    case "null":
      return `${operandSql(node.operand, scope)} is ${node.negated ? "not " : ""}null`;
    case "equals null": {
      const { operand, negated } = node;
      if (operand.kind === "column" && operand.neverNull === true) return "null::boolean";
      return `(${operandSql(operand, scope)} is ${negated ? "not " : ""}null or null)`;
    }
    case "compare":
      return comparisonSql(node, scope);
    case "related": {
      const inner = innerAlias(scope.alias, node.relationship.name);
      const join = Object.entries(node.relationship.mapping).map(
        ([own, other]) => `${inner}.${identifier(other)} = ${scope.alias}.${identifier(own)}`,
      );
      return existsSql(tableSql(node.target), inner, join, node.where, scope);
    }
    case "computed rows": {
      const inner = innerAlias(scope.alias, node.field.name);
      return existsSql(`${tableSql(node.field.function)}(${scope.alias})`, inner, [], node.where, scope);
    }
    default:
      return existsSql(tableSql(node.target), innerAlias(scope.alias, node.target.name), [], node.where, scope);
  }
}

/** Adds parentheses only around alternatives with several conditions, because `and` binds closer than `or`. */
const grouped = (node: FilterNode, text: string) => (node.kind === "and" && node.items.length > 1 ? `(${text})` : text);

function existsSql(from: string, alias: string, join: readonly string[], where: FilterNode, scope: Scope): string {
  const condition = sqlOf(where, { ...scope, alias });
  const all = [...join, ...(condition === "true" ? [] : [condition])];
  return `exists (select from ${from} ${alias}${all.length === 0 ? "" : ` where ${all.join(" and ")}`})`;
}

const tableSql = ({ schema, name }: { readonly schema: string; readonly name: string }) =>
  `${identifier(schema)}.${identifier(name)}`;

/** Postgres truncates names after 63 bytes. */
function innerAlias(alias: string, name: string): string {
  const plain = `${alias}_${name}`.replaceAll(/[^a-z0-9_]/gi, "_").toLowerCase();
  return plain.length <= 60 ? plain : `${plain.slice(0, 40)}_${plain.length}_${plain.slice(-10)}`;
}

function operandSql(operand: Operand, scope: Scope): string {
  if (operand.kind === "column") return `${scope.alias}.${identifier(operand.name)}`;
  if (operand.kind === "computed") return `${tableSql(operand.field.function)}(${scope.alias})`;
  return `${operandSql(operand.of, scope)}::text`;
}

function comparisonSql({ operand, operator, with: given }: FilterNode & { kind: "compare" }, scope: Scope): string {
  const left = operandSql(operand, scope);
  const taken: Operand = takesText.test(operator) ? { kind: "column", name: operand.name, type: undefined } : operand;
  const value = (comparand: Comparand) => comparandSql(comparand, taken, scope);
  if (operator === "_in" || operator === "_nin") {
    const negated = operator === "_nin";
    if (!Array.isArray(given)) return `${left} ${negated ? "<> all" : "= any"} (${value(given as Comparand)})`;
    if (given.length === 0) return negated ? "true" : "false";
    return `${left} ${negated ? "not in" : "in"} (${(given as readonly Comparand[]).map(value).join(", ")})`;
  }
  if (Array.isArray(given))
    return `${left} ${symbolOf(operator)[0]} array[${(given as readonly Comparand[]).map(value).join(", ")}]::text[]`;
  if (spatial.test(operator)) return `${operator.slice(1).replace("3d_", "3d")}(${left}, ${value(given as Comparand)})`;
  return `${left} ${symbolOf(operator)[0]} ${value(given as Comparand)}`;
}

function comparandSql(comparand: Comparand, operand: Operand, scope: Scope): string {
  if (comparand.kind === "session") return scope.session(comparand.name);
  if (comparand.kind === "column")
    return `${comparand.ofRoot ? scope.root : scope.alias}.${identifier(comparand.name)}`;
  return constantSql(comparand.value, operand);
}

function constantSql(value: unknown, { type }: Operand): string {
  if (value === null) return "null";
  if (type?.name === "json" || type?.name === "jsonb") return quoted(JSON.stringify(value));
  if (typeof value === "string") return quoted(value);
  if (typeof value === "number" || typeof value === "boolean")
    return type === undefined || /^(int|float|numeric|bool)/.test(type.name) ? String(value) : quoted(String(value));
  if (Array.isArray(value) && type?.element !== undefined) {
    return `array[${(value as readonly unknown[]).map((item) => constantSql(item, { kind: "column", name: "", type: type.element })).join(", ")}]::${type.sql}`;
  }
  if (type?.name === "geometry" || type?.name === "geography") return quoted(JSON.stringify(value));
  return underivable(`a filter compares with ${JSON.stringify(value)}`);
}

function symbolOf(operator: string): readonly [string, string] {
  return symbols[operator] ?? underivable(`a filter has the operator ${operator}`);
}

/** The filter in words, as Markdown. @throws UnderivableMetadata */
export function filterWords(access: Tables, table: string, filter: Filter): string {
  return wordsOf(readFilter(access, table, filter), []);
}

function wordsOf(node: FilterNode, path: readonly string[]): string {
  switch (node.kind) {
    case "and":
      return node.items.length === 0 ? "every row" : node.items.map((item) => wordsOf(item, path)).join(" and ");
    case "or":
      if (node.items.some(isEmpty)) return "every row";
      return joined(
        node.items.map((item) => wordsOf(item, path)),
        " or ",
        "no row",
      );
    case "not":
      return `not: ${wordsOf(node.item, path)}`;
    case "null":
    case "equals null":
      return `${placeOf(node.operand, path)} is ${node.negated ? "not " : ""}null`;
    case "compare":
      return `${placeOf(node.operand, path)} ${comparisonWords(node)}`;
    case "exists":
      return `some row of \`${node.target.key}\` has: ${wordsOf(node.where, [])}`;
    default: {
      const name = node.kind === "related" ? node.relationship.name : node.field.name;
      return isEmpty(node.where)
        ? `${[...path, name].map((step) => `\`${step}\``).join(" → ")} exists`
        : wordsOf(node.where, [...path, name]);
    }
  }
}

/** Whether it selects every row. */
const isEmpty = (node: FilterNode): boolean => node.kind === "and" && node.items.every(isEmpty);

const placeOf = (operand: Operand, path: readonly string[]) =>
  [...path, operand.name].map((name) => `\`${name}\``).join(" → ");

function comparisonWords({ operator, with: given }: FilterNode & { kind: "compare" }): string {
  const said = Array.isArray(given)
    ? (given as readonly Comparand[]).map(comparandWords).join(", ") || "nothing"
    : comparandWords(given as Comparand);
  if (operator === "_in") return `is one of ${said}`;
  if (operator === "_nin") return `is none of ${said}`;
  if (spatial.test(operator)) return `${operator.slice(4).replace("_", " ")} ${said}`;
  return `${symbolOf(operator)[1]} ${said}`;
}

function comparandWords(comparand: Comparand): string {
  if (comparand.kind === "session") return `the session's \`${comparand.name}\``;
  if (comparand.kind === "column") return `${comparand.ofRoot ? "the first row's " : ""}column \`${comparand.name}\``;
  return `\`${typeof comparand.value === "string" ? comparand.value : JSON.stringify(comparand.value)}\``;
}

/** A name in SQL after a dot, in quotes only if necessary. */
export function identifier(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

/** A text as an untyped SQL literal. Postgres infers its type from the other operand. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
