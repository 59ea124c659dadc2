import { type FieldNode, Kind, type SelectionSetNode, type ValueNode, valueFromASTUntyped } from "graphql";
import { checkCharacters, type CostLimits, exceeds, maxInputDepth, Spending } from "../../cost/limits.ts";
import { invalid } from "../../errors.ts";
import type { Operation } from "../../execution/document/document.ts";
import { type MetadataFacts, unlimitedRows } from "./metadata-facts.ts";

export interface SizeLimits extends CostLimits, MetadataFacts {
  readonly maxDepth: number;
  readonly maxBreadth: number;
}

/** Parts of an aggregate; the field around them counts as the table. */
const partsOfAggregates: ReadonlySet<string> = new Set(["aggregate", "nodes"]);

/** Keys of a condition that hold conditions, not a value. */
const logical: ReadonlySet<string> = new Set(["_and", "_or", "_not", "_exists"]);

/** The usual introspection query selects about 130 scalar fields, fragments spread. Per unit of the limit, which is per schema element. */
const introspectionFields = 8;

interface Cost {
  readonly values: number;
  /** Of the texts in arguments, at each use of a variable. */
  readonly characters: number;
  readonly conditions: number;
  readonly relations: number;
  readonly introspection: number;
  /** Nested lists of rows. */
  readonly lists: number;
  /** Nested selection sets below this one, without those of introspection and of fragments. */
  readonly depth: number;
  /** Most rows in the answer, by the arguments `limit` and the row limits of the role. */
  readonly rows: number;
}

const nothing: Cost = {
  values: 0,
  characters: 0,
  conditions: 0,
  relations: 0,
  introspection: 0,
  lists: 0,
  depth: 0,
  rows: 0,
};

const sum = (one: Cost, other: Cost): Cost => ({
  values: one.values + other.values,
  characters: one.characters + other.characters,
  conditions: one.conditions + other.conditions,
  relations: one.relations + other.relations,
  introspection: one.introspection + other.introspection,
  lists: Math.max(one.lists, other.lists),
  depth: Math.max(one.depth, other.depth),
  rows: one.rows + other.rows,
});

/** Rejects an operation by its size alone. @throws EngineError */
export function checkSize({ size }: Operation, { maxBreadth }: SizeLimits): void {
  if (exceeds(size.fields, maxBreadth)) throw invalid(`the query selects more fields than the limit of ${maxBreadth}`);
}

export type AcceptedCost = Pick<Cost, "values" | "rows">;

/**
 * Rejects an operation by the estimated cost of its statements. Without the schema, a field with a selection counts as a table, a root
 * field as a list, and a key of a condition as a related table when it holds conditions of its own. Each fragment and each variable is read once.
 * @returns the values in its arguments (100 characters of text count as one), and the most rows of its answer
 * @throws EngineError as the embedded engine does
 */
export function checkCost(
  { definition, fragments }: Operation,
  variables: Readonly<Record<string, unknown>>,
  role: string,
  limits: SizeLimits,
): AcceptedCost {
  const rowLimit = limits.rowLimits.get(role) ?? unlimitedRows;
  const values = new Map<string, Cost>();
  const spread = new Map<string, Cost>();

  function costOfVariable(name: string): Cost {
    const known = values.get(name);
    if (known !== undefined) return known;
    const standard = definition.variableDefinitions?.find(({ variable }) => variable.name.value === name)?.defaultValue;
    const cost = costOfValue(
      variables[name] ?? (standard === undefined ? undefined : valueFromASTUntyped(standard, variables)),
    );
    values.set(name, cost);
    return cost;
  }

  function limitIn(value: ValueNode): number {
    const limit = Number(valueFromASTUntyped(value, variables) ?? unlimitedRows);
    return limit >= 0 ? limit : unlimitedRows;
  }

  function costOfField(field: FieldNode, isIntrospection: boolean, parent: string): Cost {
    const name = field.name.value;
    let cost = nothing;
    let rows = rowLimit;
    for (const argument of field.arguments ?? []) {
      const { value } = argument;
      cost = sum(
        cost,
        value.kind === Kind.VARIABLE
          ? costOfVariable(value.name.value)
          : costOfValue(valueFromASTUntyped(value, variables)),
      );
      if (argument.name.value === "limit") rows = Math.min(rows, limitIn(value));
    }
    if (field.selectionSet === undefined)
      return isIntrospection ? { ...cost, introspection: cost.introspection + 1 } : cost;
    const isMeta = isIntrospection || name.startsWith("__");
    const isTable = !isMeta && !partsOfAggregates.has(name) && parent !== "aggregate";
    const below = costOf(field.selectionSet, isMeta, name);
    const isList = parent === "" || limits.arrayRelationships.has(name.replace(/_aggregate$/, ""));
    return sum(cost, {
      ...below,
      relations: below.relations + (isTable ? 1 : 0),
      lists: below.lists + (isList ? 1 : 0),
      depth: isMeta ? 0 : below.depth + 1,
      rows: isMeta || !isList ? below.rows : rows * (below.rows + 1),
    });
  }

  function costOf({ selections }: SelectionSetNode, isIntrospection: boolean, parent: string): Cost {
    return selections.reduce((total, selection) => {
      if (selection.kind === Kind.FIELD) return sum(total, costOfField(selection, isIntrospection, parent));
      if (selection.kind === Kind.INLINE_FRAGMENT)
        return sum(total, costOf(selection.selectionSet, isIntrospection, parent));
      const key = `${isIntrospection} ${selection.name.value}`;
      let cost = spread.get(key);
      if (cost === undefined) {
        const fragment = fragments.get(selection.name.value);
        cost = fragment === undefined ? nothing : costOf(fragment.selectionSet, isIntrospection, parent);
        spread.set(key, cost);
      }
      return sum(total, cost);
    }, nothing);
  }

  const cost = costOf(definition.selectionSet, false, "");
  if (exceeds(cost.depth + 1, limits.maxDepth))
    throw invalid(`the query is nested deeper than the limit of ${limits.maxDepth}`);
  const spending = new Spending(limits);
  spending.values(cost.values, "$");
  checkCharacters(cost.characters);
  spending.relations(cost.relations);
  spending.conditions(cost.conditions);
  spending.lists(cost.lists);
  if (exceeds(cost.introspection, introspectionFields * limits.maxIntrospection))
    throw invalid(
      `the introspection selects more fields than the limit of ${introspectionFields * limits.maxIntrospection}. Split the query, or ask for less at once`,
    );
  return { values: cost.values + cost.characters / 100, rows: cost.rows };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether the value of a key in a condition holds conditions on columns. */
const isCondition = (value: unknown): boolean =>
  isObject(value) && Object.keys(value).some((key) => !key.startsWith("_") || logical.has(key));

/** The weights are those of the embedded engine (docs/reference/cost.md). Depth is bounded where requests are parsed. */
function costOfValue(value: unknown, depth = 0): Cost {
  if (depth > maxInputDepth) throw invalid("the value is nested too deeply");
  if (typeof value === "string") return { ...nothing, characters: value.length };
  let [values, characters, conditions, relations] = [0, 0, 0, 0];
  const add = (cost: Cost): void => {
    values += cost.values;
    characters += cost.characters;
    conditions += cost.conditions;
    relations += cost.relations;
  };
  if (Array.isArray(value)) {
    for (const item of value) {
      values += 0.4;
      if (typeof item === "string") characters += item.length;
      else if (typeof item === "object") add(costOfValue(item, depth + 1));
    }
  } else if (isObject(value)) {
    values += 1;
    for (const [key, below] of Object.entries(value)) {
      values += 1;
      if (key.startsWith("_")) conditions += logical.has(key) ? 0 : 1;
      else if (isCondition(below)) relations += 1;
      add(costOfValue(below, depth + 1));
    }
  }
  return { ...nothing, values, characters, conditions, relations };
}
