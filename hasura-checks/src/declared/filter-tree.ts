/** The reader of filters, independent of the engine: a filter becomes a tree, in which names have their meanings. */
import type { DatabaseType } from "@routeql/metadata/catalog/catalog";
import { columnOperators, operatorName, sessionVariable } from "@routeql/metadata/filter-names";
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
  | { readonly kind: "cast"; readonly of: Operand; readonly name: string; readonly type: DatabaseType };

export type Comparand =
  | { readonly kind: "session"; readonly name: string }
  | { readonly kind: "constant"; readonly value: unknown }
  /** A column of the row, or of the root row of the filter. */
  | { readonly kind: "column"; readonly name: string; readonly ofRoot: boolean };

/** @param Table and Relationship: what a reader knows of them @param Unread a part that it cannot read; never if it fails there */
export type FilterNode<Table = DeclaredTable, Relationship = DeclaredRelationship, Unread = never> =
  | { readonly kind: "and" | "or"; readonly items: readonly FilterNode<Table, Relationship, Unread>[] }
  | { readonly kind: "not"; readonly item: FilterNode<Table, Relationship, Unread> }
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
      readonly relationship: Relationship;
      readonly target: Table;
      readonly where: FilterNode<Table, Relationship, Unread>;
    }
  | {
      readonly kind: "computed rows";
      readonly field: DeclaredComputedField;
      readonly target: Table;
      readonly where: FilterNode<Table, Relationship, Unread>;
    }
  | { readonly kind: "exists"; readonly target: Table; readonly where: FilterNode<Table, Relationship, Unread> }
  | Unread;

/** The meaning of a name in a filter. */
export type Meaning<Table, Relationship> =
  /** With the value in place of the written one, if that is no set of operators. */
  | { readonly kind: "operand"; readonly operand: Operand; readonly value?: unknown }
  | { readonly kind: "related"; readonly relationship: Relationship; readonly target: Table }
  | { readonly kind: "computed rows"; readonly field: DeclaredComputedField; readonly target: Table }
  | { readonly kind: "unreadable"; readonly problem: string };

/** Meanings of the names in a filter. */
export interface Names<Table, Relationship, Unread> {
  readonly meaningOf: (table: Table, name: string, value: unknown) => Meaning<Table, Relationship>;
  /** The table of an `_exists`; undefined if it cannot be read. */
  readonly tableNamed: (table: Table, key: string) => Table | undefined;
  /** The type of a cast; undefined if it cannot be read. */
  readonly castTo: (name: string) => DatabaseType | undefined;
  /** @param written the part as in the metadata, as far as it is known here */
  readonly unread: (problem: string, written: Unreadable) => Unread;
}

/** A part of a filter that cannot be read. */
export interface Unreadable {
  readonly name: string;
  readonly operator?: string;
  readonly value: unknown;
}

const listOperators: ReadonlySet<string> = new Set(["_in", "_nin", "_has_keys_any", "_has_keys_all"]);
const text: DatabaseType = { name: "text", sql: "text", kind: "base" };

const isFilter = (value: unknown): value is Filter =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A filter as a tree. @returns a function for the filter of a table */
export function filterReader<Table, Relationship, Unread>(
  names: Names<Table, Relationship, Unread>,
): (table: Table, filter: unknown) => FilterNode<Table, Relationship, Unread> {
  type Node = FilterNode<Table, Relationship, Unread>;

  const allOf = (items: readonly Node[]): Node => {
    const [only] = items;
    return items.length === 1 && only !== undefined ? only : { kind: "and", items };
  };

  function read(table: Table, filter: unknown, owner: string): Node {
    if (!isFilter(filter)) return names.unread(`${owner} takes a filter`, { name: owner, value: filter });
    return allOf(Object.entries(filter).map(([key, value]) => readEntry(table, key, value)));
  }

  function readEntry(table: Table, key: string, value: unknown): Node {
    const name = operatorName(key);
    if (name === "_and" || name === "_or") {
      if (!Array.isArray(value)) return names.unread("_and and _or take a list of filters", { name, value });
      return { kind: name === "_and" ? "and" : "or", items: value.map((item) => read(table, item, name)) };
    }
    if (name === "_not") return { kind: "not", item: read(table, value, "_not") };
    if (name === "_exists") return readExists(table, value);
    const meaning = names.meaningOf(table, key, value);
    if (meaning.kind === "unreadable") return names.unread(meaning.problem, { name: key, value });
    if (meaning.kind === "operand") return readComparisons(meaning.operand, meaning.value ?? value);
    return { ...meaning, where: read(meaning.target, value, key) };
  }

  function readExists(table: Table, value: unknown): Node {
    if (!isFilter(value)) return names.unread("_exists takes _table and _where", { name: "_exists", value });
    const { _table: named = value["$table"], _where: where = value["$where"] } = value;
    const { schema = "public", name } = isFilter(named) ? named : { name: named };
    const key = `${String(schema)}.${String(name)}`;
    const target = names.tableNamed(table, key);
    if (target === undefined || !isFilter(where))
      return names.unread(`a filter references ${key}, which is not tracked`, { name: "_exists", value });
    return { kind: "exists", target, where: read(target, where, "_exists") };
  }

  function readComparisons(operand: Operand, value: unknown): Node {
    if (!isFilter(value)) return comparison(operand, "_eq", value);
    return allOf(Object.entries(value).map(([key, given]) => comparison(operand, operatorName(key), given)));
  }

  function comparison(operand: Operand, operator: string, value: unknown): Node {
    if (operator === "_is_null") return { kind: "null", operand, negated: value !== true };
    if (value === null && (operator === "_eq" || operator === "_neq"))
      return { kind: "equals null", operand, negated: operator === "_neq" };
    if (operator === "_cast") return readCast(operand, value);
    const plain = columnOperators[operator];
    if (plain !== undefined) {
      const column = columnNamed(value);
      if (column === undefined)
        return names.unread("a filter compares with an unknown column", { name: operand.name, operator, value });
      return { kind: "compare", operand, operator: plain, with: column };
    }
    if (listOperators.has(operator) && Array.isArray(value))
      // In a list, Hasura takes every text literally.
      return { kind: "compare", operand, operator, with: value.map((item) => ({ kind: "constant", value: item })) };
    return { kind: "compare", operand, operator, with: comparand(value) };
  }

  function readCast(operand: Operand, value: unknown): Node {
    const casts = Object.entries(isFilter(value) ? value : { "": value });
    return allOf(
      casts.map(([name, given]) => {
        const type = given === null ? undefined : names.castTo(name);
        if (type === undefined)
          return names.unread("_cast takes {text: …}", { name: operand.name, operator: "_cast", value });
        return readComparisons({ kind: "cast", of: operand, name: operand.name, type }, given);
      }),
    );
  }

  return (table, filter) => read(table, filter, "a permission");
}

function columnNamed(value: unknown): Comparand | undefined {
  const steps: readonly unknown[] = Array.isArray(value) ? value : [value];
  const ofRoot = steps[0] === "$";
  const name = steps[ofRoot ? 1 : 0];
  return typeof name === "string" && steps.length === (ofRoot ? 2 : 1) ? { kind: "column", name, ofRoot } : undefined;
}

function comparand(value: unknown): Comparand {
  const name = sessionVariable(value);
  return name === undefined ? { kind: "constant", value } : { kind: "session", name };
}

type Tables = Pick<DeclaredAccess, "tables">;

/** Names by the declared tables. All that cannot be read is an error. */
const declaredNames = ({ tables }: Tables): Names<DeclaredTable, DeclaredRelationship, never> => ({
  tableNamed: (_table, key) => tables.get(key),
  castTo: (name) => (name === "text" ? text : undefined),
  unread: underivable,
  meaningOf(table, name) {
    const relationship = table.relationships.find((candidate) => candidate.name === name);
    if (relationship !== undefined) {
      const target = tables.get(relationship.target);
      if (target === undefined)
        underivable(`${table.key}.${name} leads to ${relationship.target}, which is not tracked`);
      return { kind: "related", relationship, target };
    }
    const field = table.computedFields.find((candidate) => candidate.name === name);
    const target = field?.target === undefined ? undefined : tables.get(field.target);
    if (field !== undefined && !field.rowOnly)
      underivable(`a filter goes through ${table.key}.${name}, a computed field with arguments`);
    if (field !== undefined && target !== undefined) return { kind: "computed rows", field, target };
    if (field === undefined && table.types.size > 0 && !table.types.has(name))
      underivable(`${table.key} has no column, relationship or computed field ${name}`);
    const operand: Operand =
      field === undefined
        ? { kind: "column", name, type: table.types.get(name), neverNull: table.neverNull.has(name) }
        : { kind: "computed", field, name, type: field.type };
    return { kind: "operand", operand };
  },
});

/** @throws UnderivableMetadata if the filter cannot be read */
export function readFilter(access: Tables, key: string, filter: Filter): FilterNode {
  const table = access.tables.get(key);
  if (table === undefined) underivable(`a filter references ${key}, which is not tracked`);
  return filterReader(declaredNames(access))(table, filter);
}
