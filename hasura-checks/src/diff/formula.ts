/** Conditions of permissions as formulas without negation, for the comparison of two conditions: the tree of a filter in another form. */
import {
  type Comparand,
  type FilterNode,
  filterReader,
  type Meaning,
  type Operand as TreeOperand,
  type Unreadable,
} from "../declared/filter-tree.ts";
import { sessionVariable } from "@routeql/metadata/filter-names";
import type { MergedPath } from "@routeql/metadata/read/load";
import { type Columns, isFields } from "../metadata/conditions.ts";
import { namedTable, tablesOf, type Walked } from "../metadata/walk.ts";

/** The orders of two values that a comparison accepts, as bits. */
export const orders = { less: 1, equal: 2, greater: 4, all: 7 } as const;

export type Operand =
  | { readonly kind: "constant"; readonly value: unknown; readonly key: string }
  | { readonly kind: "session" | "column"; readonly key: string };

/** A condition on a row in a session. A comparison or a fact holds only where the column is not null. */
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

/** A table, as far as the metadata says what its names mean. */
interface Rows {
  /** undefined: a name whose meaning is not known. */
  readonly field: (name: string) => "column" | Relationship | undefined;
  readonly other: (key: string) => Rows;
  readonly key: string;
}

interface Relationship {
  readonly name: string;
  /** Identity, with its definition. */
  readonly relation: string;
  readonly isOne: boolean;
  readonly target: Rows;
}

const unknownRows: Rows = { key: "", field: () => undefined, other: (key) => ({ ...unknownRows, key }) };

/** The table at a path of the metadata. */
export function rowsAt(walked: Walked, path: MergedPath): Rows {
  const tables = tablesOf(walked);
  const placed = tables.find((table) => table.path.every((part, index) => path[index] === part));
  return placed === undefined ? unknownRows : rowsOf(placed.source, placed.key);

  function rowsOf(source: string, key: string): Rows {
    const table = tables.find((each) => each.source === source && each.key === key)?.table;
    const other = (name: string): Rows => rowsOf(source, name);
    if (table === undefined) return { ...unknownRows, key, other };
    const field: Rows["field"] = (name) => {
      for (const kind of ["object_relationships", "array_relationships"] as const) {
        const using = table[kind].find((each) => each.name === name)?.using;
        if (using === undefined) continue;
        const target = namedTable(using);
        const relation = `${name} ${JSON.stringify(using)}`;
        const isOne = kind === "object_relationships";
        return { name, relation, isOne, target: target === undefined ? unknownRows : other(target) };
      }
      return table.computed_fields.some((each) => each.name === name) ? undefined : "column";
    };
    return { key, field, other };
  }
}

/** A part of a condition without known laws. */
type Unread = { readonly kind: "unread" } & Unreadable;
type Node = FilterNode<Rows, Relationship, Unread>;

const isOperator = (key: string) => /^[_$]/.test(key) && !/^[_$](and|or|not|exists)$/.test(key);

/** Conditions that Hasura rejects have a tree, too. */
const readCondition = filterReader<Rows, Relationship, Unread>({
  tableNamed: (rows, key) => rows.other(key),
  castTo: (name) => (name === "" ? undefined : { name, sql: name, kind: "base" }),
  unread: (_problem, part) => ({ kind: "unread", ...part }),
  meaningOf(rows, name, value): Meaning<Rows, Relationship> {
    const field = rows.field(name);
    if (typeof field === "object") return { kind: "related", relationship: field, target: field.target };
    const keys = isFields(value) ? Object.keys(value) : ["_eq"];
    // A comparison of a number of rows can become false with more rows.
    const counts = /_?aggregate$/i.test(name) && !keys.every(isOperator);
    // Whether an empty condition is one of a column or of a relationship is not known here.
    const isUnclear = field === undefined && keys.length === 0;
    if (counts || isUnclear) return { kind: "unreadable", problem: name };
    if (field === undefined && !keys.every(isOperator))
      return {
        kind: "related",
        relationship: { name, relation: name, isOne: false, target: unknownRows },
        target: unknownRows,
      };
    // An object without operators is a value.
    const isValue = !keys.every((key) => /^[_$]/.test(key));
    return {
      kind: "operand",
      operand: { kind: "column", name, type: undefined },
      ...(isValue ? { value: { _eq: value } } : {}),
    };
  },
});

/** A formula that is true exactly for the rows that a condition selects. */
export function formulaOf(condition: unknown, rows: Rows): Formula {
  return inFormula(readCondition(rows, condition), true, true);
}

const all = (items: readonly Formula[]): Formula => joined("and", items);
const any = (items: readonly Formula[]): Formula => joined("or", items);

function joined(kind: "and" | "or", items: readonly Formula[]): Formula {
  const flat = items.flatMap((item) => (item.kind === kind ? item.items : [item]));
  const [only] = flat;
  return flat.length === 1 && only !== undefined ? only : { kind, items: flat };
}

/** @param holds whether the formula says that the condition is true, or that it is false; a comparison with null is neither */
function inFormula(node: Node, holds: boolean, atRoot: boolean): Formula {
  switch (node.kind) {
    case "and":
    case "or": {
      const items = node.items.map((item) => inFormula(item, holds, atRoot));
      return (node.kind === "and") === holds ? all(items) : any(items);
    }
    case "not":
      return inFormula(node.item, !holds, atRoot);
    case "null":
      return { kind: "null", column: columnOf(node.operand), isNull: node.negated !== holds };
    case "equals null":
      // Where it does not hold, it is not false either.
      return holds ? { kind: "null", column: columnOf(node.operand), isNull: !node.negated } : any([]);
    case "compare":
      return comparisonFormula(node, holds, atRoot);
    case "unread": {
      const operator = node.operator === undefined ? "" : `${node.operator} `;
      return { kind: "fact", column: "", text: `${node.name} ${operator}${textOf(node.value)}`, holds };
    }
    default: {
      const { name, relation, isOne } =
        node.kind === "related"
          ? node.relationship
          : { name: node.target.key, relation: `${node.kind} ${node.target.key}`, isOne: false };
      return { kind: holds ? "some" : "none", relation, name, isOne, where: inFormula(node.where, true, false) };
    }
  }
}

const columnOf = (operand: TreeOperand): string =>
  operand.kind === "cast" ? `${columnOf(operand.of)}::${operand.type.name}` : operand.name;

const comparisons: Readonly<Record<string, number>> = {
  _eq: orders.equal,
  _neq: orders.less | orders.greater,
  _lt: orders.less,
  _lte: orders.less | orders.equal,
  _gt: orders.greater,
  _gte: orders.greater | orders.equal,
};

function comparisonFormula(
  { operand, operator, with: given }: Node & { readonly kind: "compare" },
  holds: boolean,
  atRoot: boolean,
): Formula {
  const column = columnOf(operand);
  if ("kind" in given) {
    const accepted = comparisons[operator];
    if (accepted !== undefined)
      return ordered(column, holds ? accepted : orders.all ^ accepted, operandOf(given, atRoot));
  } else if (operator === "_in" || operator === "_nin")
    return listFormula(column, (operator === "_in") === holds, given);
  const positive = operator.replace(/^_n(?=in$|like$|ilike$|similar$|regex$|iregex$)/, "_");
  const text = `${positive.slice(1)} ${"kind" in given ? valueText(given) : textOf(given.map(valueOf))}`;
  return { kind: "fact", column, text, holds: (positive === operator) === holds };
}

function listFormula(column: string, isIn: boolean, list: readonly Comparand[]): Formula {
  const values = list.map(valueOf);
  const accepts = isIn ? orders.equal : orders.all ^ orders.equal;
  const items = values.filter((item) => item !== null).map((item) => ordered(column, accepts, constantOf(item)));
  // With null in the list, no value is certainly outside of it.
  if (!isIn && items.length < values.length) return any([]);
  return isIn ? any(items) : all(items);
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

function operandOf(comparand: Comparand, atRoot: boolean): Operand {
  if (comparand.kind === "session") return { kind: "session", key: comparand.name };
  if (comparand.kind === "constant") return constantOf(comparand.value);
  return { kind: "column", key: comparand.ofRoot && !atRoot ? `$.${comparand.name}` : comparand.name };
}

const valueOf = (comparand: Comparand): unknown => (comparand.kind === "constant" ? comparand.value : comparand.name);
const valueText = (comparand: Comparand): string => textOf(valueOf(comparand));

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
  const anyColumn: Rows = { key: "", field: () => "column", other: (key) => ({ ...anyColumn, key }) };
  const rows: Rows = { ...anyColumn, field: (name) => (isColumn(name) ? "column" : undefined) };
  const holds = (formula: Formula, isSet = isNeverNull): boolean => {
    const each = (item: Formula) => holds(item, isSet);
    if ("items" in formula) return formula.kind === "and" ? formula.items.every(each) : formula.items.some(each);
    // True as soon as the other table has a row.
    if ("where" in formula)
      return formula.kind === "some" && formula.relation.startsWith("exists ") && holds(formula.where, () => false);
    return formula.kind === "null" && !formula.isNull && isSet(formula.column);
  };
  return holds(formulaOf(condition, rows));
}
