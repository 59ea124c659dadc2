import type { GraphQLField } from "graphql";
import { argumentMeta, type VisibleTable } from "../schema/meta.ts";
import { isStringified } from "../schema/scalars.ts";
import { arrayText } from "../schema/values.ts";
import type { DatabaseType } from "../catalog/catalog.ts";
import type { Condition, Operand, Parameter } from "../sql/expression.ts";
import type { OrderItem, RowQuery, RowSource, ScalarForm } from "../sql/select.ts";
import { invalid } from "./document.ts";
import type { Input, InputReader } from "./input.ts";
import { readJsonPath } from "./json-path.ts";
import { readOrder } from "./order.ts";
import type { SelectedField } from "./selection.ts";
import { columnsOf, parameterOf, WhereReader } from "./where.ts";

const largest = 2147483647;

/** Arguments of a selected field by what they mean. */
export function argumentsByKind(field: SelectedField & { definition: GraphQLField<unknown, unknown> }): ReadonlyMap<string, Input> {
  const found = new Map<string, Input>();
  for (const argument of field.definition.args) {
    const value = field.arguments.get(argument.name);
    if (value !== undefined) found.set(argumentMeta(argument).kind, value);
  }
  return found;
}

/** Reads the arguments that choose, order and cut rows. */
export class RowReader {
  readonly #inputs: InputReader;
  readonly where: WhereReader;

  constructor(inputs: InputReader) {
    this.#inputs = inputs;
    this.where = new WhereReader(inputs);
  }

  /** @param applyLimit whether the role's row limit cuts these rows */
  query(source: RowSource, target: VisibleTable, given: ReadonlyMap<string, Input>, path: string, applyLimit: boolean): RowQuery {
    const where = given.get("where");
    const order = given.get("order-by");
    const distinct = given.get("distinct-on");
    const distinctOn = distinct === undefined ? [] : columnsOf(distinct);
    const orderBy = order === undefined ? [] : readOrder(order);
    return {
      source,
      permission: target.permission.filter,
      where: where === undefined ? { kind: "and", items: [] } : this.where.read(where, target.permission.filter),
      distinctOn,
      orderBy: distinctOn.length === 0 ? orderBy : orderForDistinct(distinctOn, orderBy, path),
      limit: this.#limit(given.get("limit"), applyLimit ? target.permission.limit : undefined),
      offset: this.#offset(given.get("offset")),
    };
  }

  integer(input: Input | undefined): number | undefined {
    if (input === undefined) return undefined;
    const settled = this.#inputs.settle(input);
    if (settled.kind === "null") return undefined;
    const value = settled.kind === "scalar" ? settled.value : undefined;
    if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= largest) return value;
    const found = typeof value === "string" ? "a string" : typeof value === "number" && Number.isInteger(value) ? "an integer" : typeof value === "bigint" ? "an integer" : typeof value === "boolean" ? "a boolean" : "a float";
    throw invalid(`expected a non-negative 32-bit integer for type 'Int', but found ${found}`, settled.path);
  }

  #limit(input: Input | undefined, permitted: number | undefined): string | undefined {
    const asked = this.integer(input);
    if (asked === undefined) return permitted === undefined ? undefined : String(permitted);
    return String(permitted === undefined ? asked : Math.min(asked, permitted));
  }

  /** Offsets are bigint in Postgres, and come as numbers or strings. */
  #offset(input: Input | undefined): string | undefined {
    if (input === undefined) return undefined;
    const settled = this.#inputs.settle(input);
    if (settled.kind === "null") return undefined;
    const text = settled.kind === "scalar" && ["number", "string", "bigint"].includes(typeof settled.value) ? String(settled.value) : "";
    if (/^\d{1,19}$/.test(text) && BigInt(text) < 2n ** 63n) return text;
    throw invalid(`expected a non-negative 64-bit integer for type 'Int', but found ${/^-?\d+$/.test(text) ? "an integer" : "something else"}`, settled.path);
  }

  /** `path` argument of json columns; none for the whole value. */
  jsonPath(input: Input | undefined): Parameter | undefined {
    if (input === undefined) return undefined;
    const settled = this.#inputs.settle(input);
    if (settled.kind === "null") return undefined;
    if (settled.kind !== "scalar" || typeof settled.value !== "string") throw invalid("expected a string for type 'String'", settled.path);
    const steps = readJsonPath(settled.value, settled.path);
    return steps.length === 0 ? undefined : { source: { kind: "constant", text: arrayText(steps) }, type: "text[]" };
  }

  /** Rows with the given primary key. */
  byKey(target: VisibleTable, field: SelectedField & { definition: GraphQLField<unknown, unknown> }): Condition {
    const items = field.definition.args.flatMap((argument): Condition[] => {
      const meta = argumentMeta(argument);
      const value = field.arguments.get(argument.name);
      if (meta.kind !== "primary-key" || value === undefined) return [];
      const { column } = meta;
      const operand: Operand = { kind: "column", column, redaction: target.permission.columns.get(column.name) };
      const parameter = parameterOf(value, column.type, column.type.sql, false);
      const equals = { name: "_eq", argument: "same" as const, print: (left: string, right: string) => `(${left} = ${right})` };
      return [{ kind: "compare", operand, operator: equals, value: { kind: "parameter", parameter }, nullSafe: false }];
    });
    return { kind: "and", items };
  }
}

function sameOperand(one: Operand, other: Operand): boolean {
  return one.kind === "column" && other.kind === "column" && one.column === other.column;
}

/** Postgres wants the distinct columns first in the order; without any order Hasura orders by them. */
function orderForDistinct(distinctOn: readonly Operand[], orderBy: readonly OrderItem[], path: string): readonly OrderItem[] {
  const initial = orderBy.slice(0, distinctOn.length);
  const matches = initial.every(({ value }) => value.kind === "operand" && distinctOn.some((operand) => sameOperand(operand, value.operand)));
  const covered = orderBy.length === 0 || (matches && (orderBy.length < distinctOn.length || distinctOn.every((operand) => initial.some(({ value }) => value.kind === "operand" && sameOperand(operand, value.operand)))));
  if (!covered) throw invalid('"distinct_on" columns must match initial "order_by" columns', `${path}.args`);
  return orderBy;
}

export function formOf(type: DatabaseType, stringify: boolean): ScalarForm {
  if (stringify && isStringified(type)) return "text";
  return type.name === "geometry" || type.name === "geography" ? "geojson" : "plain";
}

