/** Conditions of permissions as formulas without negation, for the comparison of two conditions. */
import { sessionVariable } from "../declared/filter-tree.ts";
import type { MergedPath } from "@routeql/metadata/read/load";
import { type Columns, isFields, listOf } from "../metadata/conditions.ts";
import { namedTable, tablesOf, type Walked } from "../metadata/walk.ts";

/** The orders of two values that a comparison accepts, as bits. */
export const orders = { less: 1, equal: 2, greater: 4, all: 7 } as const;

export type Operand =
  | { readonly kind: "constant"; readonly value: unknown; readonly key: string }
  | { readonly kind: "session" | "column"; readonly key: string };

/** What holds for a row in a session. A comparison or a fact holds only where the column is not null. */
export type Literal =
  | { readonly kind: "order"; readonly column: string; readonly orders: number; readonly operand: Operand }
  /** A predicate without known laws, such as `_like`. */
  | { readonly kind: "fact"; readonly column: string; readonly text: string; readonly holds: boolean }
  | { readonly kind: "null"; readonly column: string; readonly isNull: boolean }
  | Related;

/** Whether a related row exists. */
interface Related {
  readonly kind: "some" | "none";
  /** Identity of the relationship, with its definition. */
  readonly relation: string;
  readonly name: string;
  /** Whether there is at most one related row. */
  readonly isOne: boolean;
  readonly where: Formula;
}

export type Formula = Literal | { readonly kind: "and" | "or"; readonly items: readonly Formula[] };

type Field =
  | { readonly kind: "column" }
  | { readonly kind: "rows"; readonly relation: string; readonly isOne: boolean; readonly scope: Scope }
  | { readonly kind: "unknown" };

/** The fields of a table. */
type Scope = (name: string) => Field;

const unknownScope: Scope = () => ({ kind: "unknown" });

/** The fields of the table at a path of the metadata, by its relationships. */
export function scopeAt(walked: Walked, path: MergedPath): Scope {
  const tables = tablesOf(walked);
  const placed = tables.find((table) => table.path.every((part, index) => path[index] === part));
  return placed === undefined ? unknownScope : scopeOf(placed.source, placed.key);

  function scopeOf(source: string, key: string): Scope {
    const table = tables.find((each) => each.source === source && each.key === key)?.table;
    if (table === undefined) return unknownScope;
    return (name) => {
      if (name.startsWith("_exists:"))
        return { kind: "rows", relation: name, isOne: false, scope: scopeOf(source, name.slice(8)) };
      for (const kind of ["object_relationships", "array_relationships"] as const) {
        const using = table[kind].find((each) => each.name === name)?.using;
        if (using === undefined) continue;
        const target = namedTable(using);
        return {
          kind: "rows",
          relation: `${name} ${JSON.stringify(using)}`,
          isOne: kind === "object_relationships",
          scope: target === undefined ? unknownScope : scopeOf(source, target),
        };
      }
      return { kind: table.computed_fields.some((field) => field.name === name) ? "unknown" : "column" };
    };
  }
}

/** A formula that is true exactly for the rows that a condition selects. */
export function formulaOf(condition: unknown, scope: Scope): Formula {
  return read(condition, scope, true, true);
}

const all = (items: readonly Formula[]): Formula => joined("and", items);
const any = (items: readonly Formula[]): Formula => joined("or", items);

function joined(kind: "and" | "or", items: readonly Formula[]): Formula {
  const flat = items.flatMap((item) => (item.kind === kind ? item.items : [item]));
  const [only] = flat;
  return flat.length === 1 && only !== undefined ? only : { kind, items: flat };
}

/** @param holds whether the formula says that the condition is true, or that it is false; a comparison with null is neither */
function read(condition: unknown, scope: Scope, holds: boolean, atRoot: boolean): Formula {
  if (!isFields(condition)) return { kind: "fact", column: "", text: JSON.stringify(condition), holds };
  const entries = Object.entries(condition).map(([written, value]) => {
    const key = written.replace(/^\$/, "_");
    if (key === "_and" || key === "_or") {
      const items = listOf(value).map((item) => read(item, scope, holds, atRoot));
      return (key === "_and") === holds ? all(items) : any(items);
    }
    if (key === "_not") return read(value, scope, !holds, atRoot);
    if (key === "_exists" && isFields(value)) {
      const table = value["_table"] ?? value["$table"];
      const { schema = "public", name } = isFields(table) ? table : { name: table };
      return readRelated(
        `_exists:${String(schema)}.${String(name)}`,
        value["_where"] ?? value["$where"] ?? {},
        scope,
        holds,
      );
    }
    return readField(written, value, scope, holds, atRoot);
  });
  return holds ? all(entries) : any(entries);
}

const isOperator = (key: string) => /^[_$]/.test(key) && !/^[_$](and|or|not|exists)$/.test(key);

function readField(name: string, value: unknown, scope: Scope, holds: boolean, atRoot: boolean): Formula {
  const { kind } = scope(name);
  if (kind === "rows") return readRelated(name, value, scope, holds);
  const keys = isFields(value) ? Object.keys(value) : ["_eq"];
  // A comparison of a number of rows can become false with more rows.
  if (/_?aggregate$/i.test(name) && !keys.every(isOperator))
    return { kind: "fact", column: "", text: `${name} ${textOf(value)}`, holds };
  if (kind === "unknown" && !keys.every(isOperator)) return readRelated(name, value, scope, holds);
  // Whether an empty condition is one of a column or of a relationship is not known here.
  if (kind === "unknown" && keys.length === 0) return { kind: "fact", column: "", text: `${name} {}`, holds };
  return readComparisons(name, value, holds, atRoot);
}

function readRelated(name: string, where: unknown, scope: Scope, holds: boolean): Formula {
  const field = scope(name);
  const known = field.kind === "rows" ? field : { relation: name, isOne: false, scope: unknownScope };
  const said = name.startsWith("_exists:") ? name.slice(8) : name;
  const { relation, isOne } = known;
  return { kind: holds ? "some" : "none", relation, name: said, isOne, where: read(where, known.scope, true, false) };
}

const comparisons: Readonly<Record<string, number>> = {
  eq: orders.equal,
  ne: orders.less | orders.greater,
  neq: orders.less | orders.greater,
  lt: orders.less,
  lte: orders.less | orders.equal,
  gt: orders.greater,
  gte: orders.greater | orders.equal,
};

function readComparisons(column: string, value: unknown, holds: boolean, atRoot: boolean): Formula {
  const given = isFields(value) && Object.keys(value).every((key) => /^[_$]/.test(key)) ? value : { _eq: value };
  const items = Object.entries(given).map(([key, operand]) =>
    readComparison(column, key.slice(1), operand, holds, atRoot),
  );
  return holds ? all(items) : any(items);
}

function readComparison(column: string, operator: string, value: unknown, holds: boolean, atRoot: boolean): Formula {
  const accepted = comparisons[operator];
  if (operator === "is_null") return { kind: "null", column, isNull: (value === true) === holds };
  // Where a comparison with null does not hold, it is not false either.
  if (value === null && (operator === "eq" || accepted === comparisons["neq"]))
    return holds ? { kind: "null", column, isNull: operator === "eq" } : any([]);
  if (operator === "cast" && isFields(value)) {
    const casts = Object.entries(value).map(([type, of]) => readComparisons(`${column}::${type}`, of, holds, atRoot));
    return holds ? all(casts) : any(casts);
  }
  if ((operator === "in" || operator === "nin") && Array.isArray(value)) {
    const isIn = (operator === "in") === holds;
    const accepts = isIn ? orders.equal : orders.all ^ orders.equal;
    const items = value.filter((item) => item !== null).map((item) => ordered(column, accepts, constantOf(item)));
    // With null in the list, no value is certainly outside of it.
    if (!isIn && items.length < value.length) return any([]);
    return isIn ? any(items) : all(items);
  }
  const between = operator.startsWith("c") ? comparisons[operator.slice(1)] : undefined;
  const compared = between ?? accepted;
  if (compared === undefined) {
    const positive = operator.replace(/^n(?=in$|like$|ilike$|similar$|regex$|iregex$)/, "");
    return { kind: "fact", column, text: `${positive} ${textOf(value)}`, holds: (positive === operator) === holds };
  }
  const operand = between === undefined ? operandOf(value) : columnOperand(value, atRoot);
  return ordered(column, holds ? compared : orders.all ^ compared, operand);
}

/** A comparison of two columns is written from the first one by name. */
function ordered(column: string, accepted: number, operand: Operand): Literal {
  if (operand.kind !== "column" || column < operand.key) return { kind: "order", column, orders: accepted, operand };
  const flipped =
    (accepted & orders.equal) |
    (accepted & orders.less ? orders.greater : 0) |
    (accepted & orders.greater ? orders.less : 0);
  return { kind: "order", column: operand.key, orders: flipped, operand: { kind: "column", key: column } };
}

function columnOperand(value: unknown, atRoot: boolean): Operand {
  const [first, second] = listOf(value);
  return { kind: "column", key: first === "$" ? `${atRoot ? "" : "$."}${String(second)}` : String(first) };
}

function operandOf(value: unknown): Operand {
  const name = sessionVariable(value);
  return name === undefined ? constantOf(value) : { kind: "session", key: name };
}

/** Also a text like a session variable in a list, which Hasura takes literally. */
function constantOf(value: unknown): Operand {
  const isNumber = typeof value === "number" || (typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value));
  return { kind: "constant", value, key: isNumber ? String(Number(value)) : textOf(value) };
}

/** A value as text, with session variables in lower case. */
function textOf(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => sessionVariable(item) ?? item);
}

export function complement(formula: Formula): Formula {
  if ("items" in formula) {
    const items = formula.items.map(complement);
    return formula.kind === "and" ? any(items) : all(items);
  }
  if (formula.kind === "null") return { ...formula, isNull: !formula.isNull };
  if ("where" in formula) return { ...formula, kind: formula.kind === "some" ? "none" : "some" };
  const { column } = formula;
  const nulls: Formula[] = [{ kind: "null", column, isNull: true }];
  if (formula.kind === "fact") return any([{ ...formula, holds: !formula.holds }, ...(column === "" ? [] : nulls)]);
  if (formula.operand.kind === "column") nulls.push({ kind: "null", column: formula.operand.key, isNull: true });
  return any([{ ...formula, orders: orders.all ^ formula.orders }, ...nulls]);
}

/** Whether a condition selects every row in every session. In Hasura an empty condition and an empty comparison do. */
export function isAlwaysTrue(condition: unknown, { isColumn, isNeverNull }: Columns): boolean {
  const anyColumn: Scope = () => ({ kind: "column" });
  const scope: Scope = (name) => {
    if (name.startsWith("_exists:")) return { kind: "rows", relation: name, isOne: false, scope: anyColumn };
    return { kind: isColumn(name) ? "column" : "unknown" };
  };
  const holds = (formula: Formula, isSet = isNeverNull): boolean => {
    const each = (item: Formula) => holds(item, isSet);
    if ("items" in formula) return formula.kind === "and" ? formula.items.every(each) : formula.items.some(each);
    // True as soon as the other table has a row.
    if ("where" in formula)
      return formula.kind === "some" && formula.relation.startsWith("_exists:") && holds(formula.where, () => false);
    return formula.kind === "null" && !formula.isNull && isSet(formula.column);
  };
  return holds(formulaOf(condition, scope));
}
