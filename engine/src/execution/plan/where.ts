import type { DatabaseType } from "@routeql/metadata/catalog/catalog";
import { impliedArguments } from "../../schema/filters.ts";
import { inputMeta, scalarType, enumMeta, type AggregatePredicateMeta, type ScalarMeta } from "../../schema/meta.ts";
import type { Relationship } from "../../model.ts";
import { booleanType, integerType, realType, scalarName, textType } from "../../schema/scalars.ts";
import { UnfitValue } from "../../schema/json-values.ts";
import { itemOf, listText, toText } from "../../schema/values.ts";
import {
  type AggregateComparison,
  allOf,
  always,
  type Condition,
  guarded,
  type Operand,
  type Parameter,
  type Value,
} from "../../sql/expression.ts";
import {
  argumentType,
  inputType,
  isListArgument,
  isObjectArgument,
  siblingType,
  typeSql,
  type Operator,
} from "../../sql/operators.ts";
import type { Sql } from "../../sql/sql.ts";
import { type EngineError, invalid, unreadable } from "../../errors.ts";
import { expected, type Input, type InputReader } from "../document/input.ts";

export function operandOf(scalar: ScalarMeta): Operand {
  return scalar.kind === "column"
    ? { kind: "column", column: scalar.column, redaction: scalar.redaction }
    : { kind: "computed", field: scalar.field, arguments: impliedArguments(scalar.field), redaction: scalar.redaction };
}

function encode(value: unknown, type: DatabaseType, path: string): string | null {
  try {
    return toText(value, type);
  } catch (error) {
    throw located(error, path);
  }
}

function located(error: unknown, path: string): unknown {
  return error instanceof UnfitValue ? unreadable(error.message, path) : error;
}

export function parameterOf(
  input: Input,
  type: DatabaseType,
  cast: Sql,
  { acceptsNull = false }: { readonly acceptsNull?: boolean } = {},
): Parameter {
  const { path } = input;
  const refuseNull = (name: string) => invalid(`unexpected null value for type '${name}'`, path);
  if (input.kind === "variable") {
    const nullError = acceptsNull ? undefined : () => refuseNull(input.type);
    return variableParameter(input, cast, (value) => encode(value, type, path), nullError);
  }
  if (input.kind === "null") {
    if (!acceptsNull && input.isEnum === true) throw expected("an enum value", input.type, "null", path);
    if (!acceptsNull) throw refuseNull(input.type);
    return { source: { kind: "constant", text: null }, type: cast };
  }
  return { source: { kind: "constant", text: encode(plainValue(input), type, path) }, type: cast };
}

/** @param nullError absent if null is accepted */
function variableParameter(
  { name, defaultValue }: Input & { kind: "variable" },
  cast: Sql,
  convert: (value: unknown) => string | null,
  nullError: (() => EngineError) | undefined,
): Parameter {
  const read = (given: unknown): string | null => {
    const value = given === undefined ? defaultValue : given;
    if (value !== null && value !== undefined) return convert(value);
    if (nullError !== undefined) throw nullError();
    return null;
  };
  return { source: { kind: "variable", name, encode: read }, type: cast };
}

/** A variable whose value is a whole list; a single value counts as a list of one. */
function listParameter(
  input: Input,
  element: DatabaseType,
  cast: Sql,
  { acceptsNull = false }: { readonly acceptsNull?: boolean } = {},
): Parameter {
  const { path } = input;
  const nullError = () => invalid("expected a list, but found null", path);
  if (input.kind !== "variable") throw nullError();
  const convert = (value: unknown) => listOf(Array.isArray(value) ? value : [value], element, path);
  return variableParameter(input, cast, convert, acceptsNull ? undefined : nullError);
}

/** A list of JSON values as Postgres' text. The path of an item is written only for an error, because lists can be long. */
function listOf(items: readonly unknown[], element: DatabaseType, path: string): string {
  return listText(
    items.map((item, index) => {
      if (item === null || item === undefined)
        throw invalid(
          `unexpected null value for type '${scalarName(element.element ?? element)}'`,
          `${path}[${index}]`,
        );
      try {
        return toText(item, itemOf(element));
      } catch (error) {
        throw located(error, `${path}[${index}]`);
      }
    }),
    element,
    items,
  );
}

function plainValue(input: Input): unknown {
  switch (input.kind) {
    case "scalar":
      return input.value;
    case "enum":
      return input.value.value;
    case "list":
      return input.items.map(plainValue);
    case "scalars":
      return input.values;
    case "null":
      return null;
    default:
      throw invalid("a value is expected", input.path);
  }
}

export function listValue(
  input: Input,
  element: DatabaseType,
  cast: Sql,
  nulls: { readonly acceptsNull?: boolean } = {},
): Value {
  const constant = (text: string): Value => ({
    kind: "parameter",
    parameter: { source: { kind: "constant", text }, type: cast },
  });
  if (input.kind === "list" && (input.items.some((item) => item.kind === "variable") || element.element !== undefined))
    return {
      kind: "list",
      items: input.items.map((item) => parameterOf(item, itemOf(element), typeSql(element))),
      type: cast,
    };
  if (input.kind === "scalars") return constant(listOf(input.values, element, input.path));
  if (input.kind === "list")
    return constant(
      listText(
        input.items.map((item) => constantText(item, element)),
        element,
        input.items.map(plainValue),
      ),
    );
  return { kind: "parameter", parameter: listParameter(input, element, cast, nulls) };
}

/** An item of a list; an error names the item's own place. */
function constantText(item: Input, type: DatabaseType): string {
  const { source } = parameterOf(item, itemOf(type), typeSql(type));
  if (source.kind !== "constant" || source.text === null) throw invalid("a value is expected", item.path);
  return source.text;
}

export interface WhereOptions {
  /** Whether an operator with a null value is omitted instead of rejected. */
  readonly collapseNullComparisons: boolean;
}

export class WhereReader {
  readonly #inputs: InputReader;
  readonly #collapse: boolean;

  constructor(inputs: InputReader, { collapseNullComparisons }: WhereOptions) {
    this.#inputs = inputs;
    this.#collapse = collapseNullComparisons;
  }

  /** `null` for the whole argument means no condition; inside it is an error. @param permission the role's filter of the same rows */
  read(input: Input, permission: Condition): Condition {
    if (input.kind === "null") return always;
    return guarded(permission, this.#object(input));
  }

  #object(input: Input): Condition {
    return allOf(...entriesOf(input).map(({ field, value }) => this.#entry(inputMeta(field), value)));
  }

  #entry(meta: ReturnType<typeof inputMeta>, value: Input): Condition {
    switch (meta.kind) {
      case "and":
        return { kind: "and", items: this.#items(value) };
      case "or":
        return { kind: "or", items: this.#items(value) };
      case "not":
        return { kind: "not", item: this.#object(value) };
      case "scalar":
        return this.#operators(operandOf(meta.scalar), scalarType(meta.scalar), value);
      case "relationship": {
        const permission = meta.target.permission.filter;
        const where = guarded(permission, this.#object(value));
        return { kind: "related", relationship: meta.relationship, permission, where };
      }
      case "computed-rows": {
        const { field } = meta;
        const permission = meta.target.permission.filter;
        const where = guarded(permission, this.#object(value));
        return { kind: "computed-rows", field, arguments: impliedArguments(field), permission, where };
      }
      case "relationship-aggregate":
        return this.#aggregates(meta.relationship, value);
      default:
        throw invalid("this cannot be filtered by", value.path);
    }
  }

  #items(input: Input): readonly Condition[] {
    if (input.kind === "list") return input.items.map((item) => this.#object(item));
    throw invalid(`expected a list, but found ${input.kind === "null" ? "null" : "something else"}`, input.path);
  }

  #operators(operand: Operand, type: DatabaseType, input: Input): Condition {
    const conditions = entriesOf(input).map(({ field, value }): Condition => {
      const meta = inputMeta(field);
      if (this.#collapse && meta.kind !== "cast" && this.#isKnownNull(value)) return always;
      if (meta.kind === "operator") {
        const compared = this.#value(meta.operator, type, value);
        const condition: Condition = { kind: "compare", operand, operator: meta.operator, value: compared };
        // Only execution shows whether a variable is null, so the plan does not depend on it.
        return this.#collapse && value.kind === "variable" && compared.kind === "parameter"
          ? { kind: "unless-null", parameter: compared.parameter, item: condition }
          : condition;
      }
      if (meta.kind === "is-null") return { kind: "is-null", operand, negated: !this.#inputs.boolean(value) };
      return allOf(...entriesOf(value).map((entry) => this.#cast(operand, inputMeta(entry.field), entry.value)));
    });
    return allOf(...conditions);
  }

  /** Whether an operator's value is known to be null at planning: a literal, or a structural variable. */
  #isKnownNull(input: Input): boolean {
    return (
      input.kind === "null" ||
      (input.kind === "variable" && input.type === "Boolean" && this.#inputs.settle(input).kind === "null")
    );
  }

  #cast(operand: Operand, meta: ReturnType<typeof inputMeta>, input: Input): Condition {
    if (meta.kind !== "cast-to") return this.#operators({ kind: "text", operand }, textType, input);
    return this.#operators({ kind: "cast", operand, type: typeSql(meta.type) }, meta.type, input);
  }

  #value(operator: Operator, type: DatabaseType, input: Input): Value {
    const cast = argumentType(operator, type);
    if (isObjectArgument(operator)) return this.#arguments(operator, type, input);
    const own: DatabaseType =
      operator.argument === "same" || operator.argument === "list" || operator.argument === "ltree-list"
        ? type
        : operator.argument.startsWith("text")
          ? textType
          : looseText;
    if (isListArgument(operator)) return listValue(input, own, cast, { acceptsNull: this.#collapse });
    const acceptsNull = this.#collapse || operator.takesNull === true;
    return { kind: "parameter", parameter: parameterOf(input, own, cast, { acceptsNull }) };
  }

  #arguments({ argument }: Operator, type: DatabaseType, input: Input): Value {
    const entries = entriesOf(input);
    const of = (kind: string, valueType: DatabaseType) =>
      entries
        .filter(({ field, value }) => inputMeta(field).kind === kind && value.kind !== "null")
        .map(({ value }) => parameterOf(value, valueType, inputType(valueType)));
    if (argument === "distance") {
      const items = [...of("from", type), ...of("distance", realType), ...of("use-spheroid", booleanType)];
      return { kind: "arguments", items };
    }
    const [band, geometry] = [of("band", integerType), of("geometry", siblingType(type, "geometry"))];
    const items = argument === "band-and-geometry" ? [...band, ...geometry] : [...geometry, ...band];
    return { kind: "arguments", items };
  }

  #aggregates(relationship: Relationship, input: Input): Condition {
    // Like Hasura, reports an error of each before their number.
    const [condition, ...others] = entriesOf(input).map(({ field, value }) => {
      const meta = inputMeta(field);
      if (meta.kind !== "aggregate-predicate") throw invalid("this cannot be filtered by", value.path);
      return this.#aggregate(relationship, meta.predicate, entriesOf(value));
    });
    if (condition === undefined || others.length > 0)
      throw invalid("exactly one predicate should be specified", input.path);
    return condition;
  }

  #aggregate(
    relationship: Relationship,
    predicate: AggregatePredicateMeta,
    entries: (Input & { kind: "object" })["entries"],
  ): Condition {
    let columns: readonly Operand[] | undefined;
    let filter = always;
    const comparisons: AggregateComparison[] = [];
    const order = ({ field }: (typeof entries)[number]) => predicateParts.indexOf(inputMeta(field).kind);
    for (const { field, value } of entries.toSorted((one, other) => order(one) - order(other))) {
      const { kind } = inputMeta(field);
      if (kind === "predicate-arguments") {
        const given = columnsOf(notNull(value));
        if (given.length > 0) columns = given;
      } else if (kind === "predicate-distinct") this.#inputs.boolean(value); // Hasura reads it, and counts as without it.
      else if (kind === "predicate-filter") filter = guarded(predicate.target.permission.filter, this.#object(value));
      else if (value.kind === "object") {
        for (const entry of value.entries) {
          const meta = inputMeta(entry.field);
          if (this.#collapse && this.#inputs.settle(entry.value).kind === "null") continue;
          if (meta.kind === "operator") {
            const { operator } = meta;
            comparisons.push({ operator, value: this.#value(operator, predicate.resultType, entry.value) });
          } else comparisons.push({ negated: !this.#inputs.boolean(entry.value) });
        }
      }
    }
    const aggregate = { function: predicate.function, columns, filter, comparisons };
    return { kind: "aggregate", relationship, permission: predicate.target.permission.filter, aggregate };
  }
}

/** In the order in which Hasura reads them and reports their errors. */
const predicateParts = ["predicate-arguments", "predicate-distinct", "predicate-value", "predicate-filter"];

/** Types that appear only as an operator's argument, such as lquery: Postgres checks them. */
const looseText: DatabaseType = { name: "unknown", sql: "text", kind: "base" };

/** The entries of an object. @throws EngineError for null, which may replace an object */
export function entriesOf(input: Input): (Input & { kind: "object" })["entries"] {
  if (input.kind === "object") return input.entries;
  throw invalid(
    input.kind === "null" ? `expected an object for type '${input.type}', but found null` : "expected an object",
    input.path,
  );
}

/** A list that may be absent but not null. @throws EngineError */
export function notNull(input: Input): Input {
  if (input.kind === "null") throw invalid("expected a list, but found null", input.path);
  return input;
}

/** Columns of enum values, as operands. */
export function columnsOf(input: Input): readonly Operand[] {
  if (input.kind === "null") return [];
  // A pair of columns has names; they are sorted in the order of the function's arguments.
  if (input.kind === "object")
    return input.entries
      .toSorted((one, other) => (one.field.name < other.field.name ? -1 : 1))
      .flatMap(({ value }) => columnsOf(value));
  const items = input.kind === "list" ? input.items : [input];
  return items.map((item) => {
    const meta = item.kind === "enum" ? enumMeta(item.value) : undefined;
    if (meta?.kind !== "column") throw invalid("a column is expected", item.path);
    return operandOf(meta.scalar);
  });
}
