/** A parser of filters that is independent of the engine. */
import type { DatabaseType } from "@routeql/metadata/catalog/catalog";
import type { DeclaredAccess, DeclaredComputedField, DeclaredRelationship, DeclaredTable, Filter } from "./declared.ts";
import { underivable } from "./permission.ts";

export type Operand =
  | {
      readonly kind: "column";
      readonly name: string;
      readonly type: DatabaseType | undefined;
      readonly neverNull?: boolean;
    }
  | {
      readonly kind: "computed";
      readonly field: DeclaredComputedField;
      readonly name: string;
      readonly type: DatabaseType | undefined;
    }
  | { readonly kind: "text"; readonly of: Operand; readonly name: string; readonly type: DatabaseType };

export type Comparand =
  | { readonly kind: "session"; readonly name: string }
  | { readonly kind: "constant"; readonly value: unknown }
  /** A column of the row, or of the root row of the filter. */
  | { readonly kind: "column"; readonly name: string; readonly ofRoot: boolean };

export type FilterNode =
  | { readonly kind: "and" | "or"; readonly items: readonly FilterNode[] }
  | { readonly kind: "not"; readonly item: FilterNode }
  | { readonly kind: "null"; readonly operand: Operand; readonly negated: boolean }
  /** A comparison with null, which has no result where it does not hold, and never holds for a column that is NOT NULL. */
  | { readonly kind: "equals null"; readonly operand: Operand; readonly negated: boolean }
  | {
      readonly kind: "compare";
      readonly operand: Operand;
      readonly operator: string;
      readonly with: Comparand | readonly Comparand[];
    }
  | {
      readonly kind: "related";
      readonly relationship: DeclaredRelationship;
      readonly target: DeclaredTable;
      readonly where: FilterNode;
    }
  | {
      readonly kind: "computed rows";
      readonly field: DeclaredComputedField;
      readonly target: DeclaredTable;
      readonly where: FilterNode;
    }
  | { readonly kind: "exists"; readonly target: DeclaredTable; readonly where: FilterNode };

type Tables = Pick<DeclaredAccess, "tables">;

const spellings: Readonly<Record<string, string>> = { _ne: "_neq", _cneq: "_cne" };
const columnOperators: Readonly<Record<string, string>> = {
  _ceq: "_eq",
  _cne: "_neq",
  _cgt: "_gt",
  _clt: "_lt",
  _cgte: "_gte",
  _clte: "_lte",
};
const listOperators: ReadonlySet<string> = new Set(["_in", "_nin", "_has_keys_any", "_has_keys_all"]);
const text: DatabaseType = { name: "text", sql: "text", kind: "base" };

/** The name of a session variable in lower case; undefined for another value. `REQ_USER_ID` is Hasura's earlier name of the user's id. */
export function sessionVariable(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  if (/^req_user_id$/i.test(value)) return "x-hasura-user-id";
  return /^x-hasura-/i.test(value) ? value.toLowerCase() : undefined;
}

const isFilter = (value: unknown): value is Filter =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Older metadata has `$eq` for `_eq`. */
function spelled(key: string): string {
  const name = key.startsWith("$") ? `_${key.slice(1)}` : key;
  return spellings[name] ?? name;
}

function allOf(items: readonly FilterNode[]): FilterNode {
  const [only] = items;
  return items.length === 1 && only !== undefined ? only : { kind: "and", items };
}

/** @throws UnderivableMetadata if the filter cannot be read */
export function readFilter(access: Tables, key: string, filter: Filter): FilterNode {
  const table = access.tables.get(key);
  if (table === undefined) underivable(`a filter goes to ${key}, which is not tracked`);
  return allOf(Object.entries(filter).map(([name, value]) => readEntry(access, table, name, value)));
}

function readList(access: Tables, table: DeclaredTable, value: unknown): readonly FilterNode[] {
  if (Array.isArray(value) && value.every(isFilter)) return value.map((item) => readFilter(access, table.key, item));
  return underivable("_and and _or take a list of filters");
}

function readEntry(access: Tables, table: DeclaredTable, key: string, value: unknown): FilterNode {
  const name = spelled(key);
  if (name === "_and" || name === "_or")
    return { kind: name === "_and" ? "and" : "or", items: readList(access, table, value) };
  const filterOf = (target: DeclaredTable, owner: string): FilterNode =>
    isFilter(value) ? readFilter(access, target.key, value) : underivable(`${owner} takes a filter`);
  if (name === "_not") return { kind: "not", item: filterOf(table, "_not") };
  if (name === "_exists") return readExists(access, value);
  const relationship = table.relationships.find((candidate) => candidate.name === key);
  if (relationship !== undefined) {
    const target = access.tables.get(relationship.target);
    if (target === undefined) underivable(`${table.key}.${key} leads to ${relationship.target}, which is not tracked`);
    return { kind: "related", relationship, target, where: filterOf(target, `${table.key}.${key}`) };
  }
  const field = table.computedFields.find((candidate) => candidate.name === key);
  const target = field?.target === undefined ? undefined : access.tables.get(field.target);
  if (field !== undefined && !field.rowOnly)
    underivable(`a filter goes through ${table.key}.${key}, a computed field with arguments`);
  if (field !== undefined && target !== undefined)
    return { kind: "computed rows", field, target, where: filterOf(target, `${table.key}.${key}`) };
  if (field === undefined && table.types.size > 0 && !table.types.has(key))
    underivable(`${table.key} has no column, relationship or computed field ${key}`);
  const operand: Operand =
    field === undefined
      ? { kind: "column", name: key, type: table.types.get(key), neverNull: table.neverNull.has(key) }
      : { kind: "computed", field, name: key, type: field.type };
  return readComparisons(operand, value);
}

function readExists(access: Tables, value: unknown): FilterNode {
  if (!isFilter(value)) return underivable("_exists takes _table and _where");
  const named = value["_table"];
  const { schema = "public", name } = isFilter(named) ? named : { name: named };
  const target = access.tables.get(`${String(schema)}.${String(name)}`);
  const { _where: where } = value;
  if (target === undefined || !isFilter(where))
    return underivable(`a filter goes to ${String(schema)}.${String(name)}, which is not tracked`);
  return { kind: "exists", target, where: readFilter(access, target.key, where) };
}

function readComparisons(operand: Operand, value: unknown): FilterNode {
  if (!isFilter(value)) return comparison(operand, "_eq", value);
  return allOf(Object.entries(value).map(([key, given]) => comparison(operand, spelled(key), given)));
}

function comparison(operand: Operand, operator: string, value: unknown): FilterNode {
  if (operator === "_is_null") return { kind: "null", operand, negated: value !== true };
  if (value === null && (operator === "_eq" || operator === "_neq"))
    return { kind: "equals null", operand, negated: operator === "_neq" };
  if (operator === "_cast") {
    if (isFilter(value) && Object.keys(value).length === 0) return allOf([]);
    const inner = isFilter(value) ? value["text"] : undefined;
    if (inner === undefined || inner === null) underivable("_cast takes {text: …}");
    return readComparisons({ kind: "text", of: operand, name: operand.name, type: text }, inner);
  }
  const plain = columnOperators[operator];
  if (plain !== undefined) return { kind: "compare", operand, operator: plain, with: columnNamed(value) };
  if (listOperators.has(operator) && Array.isArray(value))
    // In a list, Hasura takes every text literally.
    return { kind: "compare", operand, operator, with: value.map((item) => ({ kind: "constant", value: item })) };
  return { kind: "compare", operand, operator, with: comparand(value) };
}

function columnNamed(value: unknown): Comparand {
  const steps: readonly unknown[] = Array.isArray(value) ? value : [value];
  const ofRoot = steps[0] === "$";
  const name = steps[ofRoot ? 1 : 0];
  return typeof name === "string" && steps.length === (ofRoot ? 2 : 1)
    ? { kind: "column", name, ofRoot }
    : underivable("a filter compares with an unknown column");
}

function comparand(value: unknown): Comparand {
  const name = sessionVariable(value);
  return name === undefined ? { kind: "constant", value } : { kind: "session", name };
}
