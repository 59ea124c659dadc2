import type { DatabaseType } from "@routeql/metadata/catalog/catalog";
import type { GraphQLField } from "graphql";
import { invalid } from "../../errors.ts";
import { impliedArguments } from "../../schema/filters.ts";
import { argumentMeta, enumMeta, inputMeta, type OrderDirection, type VisibleTable } from "../../schema/meta.ts";
import type { TableColumn } from "../../model.ts";
import { isStringified } from "../../schema/scalars.ts";
import { arrayText } from "../../schema/values.ts";
import { always, type Condition, type Operand, type Parameter } from "../../sql/expression.ts";
import { equals, inputType } from "../../sql/operators.ts";
import { sql } from "../../sql/sql.ts";
import type { OrderItem, OrderValue, RowQuery, RowSource, ScalarForm } from "../../sql/select.ts";
import { type Input, type InputReader, kindOfInput, outsideOfIntegers } from "../document/input.ts";
import type { SelectedField } from "../document/selection.ts";
import { columnsOf, entriesOf, operandOf, parameterOf, type WhereOptions, WhereReader } from "./where.ts";

const step = /\.?(?:\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\]|\['((?:[^'\\]|\\.)*)'\]|([\p{L}_][\p{L}\p{N}_-]*))/uy;
const help =
  'Accept letters, digits, underscore (_) or hyphen (-) only. Use quotes enclosed in bracket (["..."]) if there is any special character';

/** Quoted text is parsed like a JSON string, except that single quotes may be escaped and double quotes need no escape. */
function unquoted(double: string | undefined, single: string | undefined): string | undefined {
  const inside =
    double ?? single?.replaceAll(/\\.|"/gs, (part) => (part === "\\'" ? "'" : part === '"' ? '\\"' : part));
  try {
    return inside === undefined ? undefined : (JSON.parse(`"${inside}"`) as string);
  } catch {
    return undefined;
  }
}

/** Parses Hasura's JSON paths (`$`, `a.b`, `.a[0]`, `a['key with spaces']`, `$["x"]`); none for the whole value. @throws EngineError */
export function readJsonPath(text: string, path: string): readonly string[] {
  const start = text.startsWith("$") ? 1 : 0;
  const steps: string[] = [];
  step.lastIndex = start;
  if (text === "$") return steps;
  do {
    const match = step.exec(text);
    const [, index, double, single, name] = match ?? [];
    const key = index ?? name ?? unquoted(double, single);
    if (match === null || key === undefined) throw invalid(`parse json path error: ${text}. ${help}`, path);
    steps.push(key);
  } while (step.lastIndex < text.length);
  return steps;
}

const largest = 2147483647;
const largestOffset = 2n ** 63n - 1n;

export function argumentsByKind(
  field: SelectedField & { definition: GraphQLField<unknown, unknown> },
): ReadonlyMap<string, Input> {
  const found = new Map<string, Input>();
  for (const argument of field.definition.args) {
    const value = field.arguments.get(argument.name);
    if (value !== undefined) found.set(argumentMeta(argument).kind, value);
  }
  return found;
}

/** Reads the arguments that filter, order and limit rows. */
export class RowReader {
  readonly #inputs: InputReader;
  readonly where: WhereReader;

  constructor(inputs: InputReader, options: WhereOptions) {
    this.#inputs = inputs;
    this.where = new WhereReader(inputs, options);
  }

  /** @param limit whether the role's row limit applies to these rows */
  query(
    source: RowSource,
    target: Pick<VisibleTable, "permission">,
    given: ReadonlyMap<string, Input>,
    path: string,
    limit: "limited" | "unlimited",
  ): RowQuery {
    const where = given.get("where");
    const order = given.get("order-by");
    const distinct = given.get("distinct-on");
    const query: RowQuery = {
      source,
      permission: target.permission.filter,
      where: where === undefined ? always : this.where.read(where, target.permission.filter),
      orderBy: order === undefined ? [] : readOrder(order),
      limit: this.#limit(given.get("limit"), limit === "limited" ? target.permission.limit : undefined),
      offset: this.#offset(given.get("offset")),
      distinctOn: distinct === undefined ? [] : columnsOf(distinct),
    };
    checkDistinct(query.distinctOn, query.orderBy, path);
    return query;
  }

  /** A non-negative integer: limits and batch sizes. */
  integer(input: Input | undefined): number | undefined {
    if (input === undefined) return undefined;
    const settled = this.#inputs.settle(input);
    if (settled.kind === "null") return undefined;
    const value = settled.kind === "scalar" ? settled.value : undefined;
    if ((typeof value !== "number" && typeof value !== "bigint") || value < 0) {
      throw invalid(
        `expected a non-negative 32-bit integer for type 'Int', but found ${kindOfInput(settled)}`,
        settled.path,
      );
    }
    if (!Number.isInteger(Number(value)) || value > largest) throw outsideOfIntegers(value, settled.path);
    return Number(value);
  }

  #limit(input: Input | undefined, permitted: number | undefined): string | undefined {
    const asked = this.integer(input);
    if (asked === undefined) return permitted === undefined ? undefined : String(permitted);
    return String(permitted === undefined ? asked : Math.min(asked, permitted));
  }

  /** Offsets are bigint in Postgres, and arrive as numbers or strings of digits; as in Hasura, Postgres itself rejects negative ones. */
  #offset(input: Input | undefined): string | undefined {
    if (input === undefined) return undefined;
    const settled = this.#inputs.settle(input);
    if (settled.kind === "null") return undefined;
    const value = settled.kind === "scalar" ? settled.value : undefined;
    const isNumber = typeof value === "number" || typeof value === "bigint";
    if (!isNumber && (typeof value !== "string" || !/^\d+$/.test(value))) {
      throw invalid(
        `expected a 32-bit integer, or a 64-bit integer represented as a string for type 'Int', but found ${kindOfInput(settled)}`,
        settled.path,
      );
    }
    const isText = typeof value === "string";
    if (
      !isText &&
      (!Number.isInteger(Number(value)) || BigInt(value) > largestOffset || BigInt(value) < -largestOffset - 1n)
    )
      throw outsideOfIntegers(value, settled.path);
    return isText ? clamped(value) : String(value);
  }

  /** `path` argument of json columns; none for the whole value. */
  jsonPath(input: Input | undefined): Parameter | undefined {
    if (input === undefined) return undefined;
    const steps = readJsonPath(this.#inputs.string(input), input.path.slice(0, input.path.lastIndexOf(".")));
    return steps.length === 0 ? undefined : { source: { kind: "constant", text: arrayText(steps) }, type: sql`text[]` };
  }

  byKey(target: VisibleTable, field: SelectedField & { definition: GraphQLField<unknown, unknown> }): Condition {
    const items = field.definition.args.flatMap((argument): Condition[] => {
      const meta = argumentMeta(argument);
      const value = field.arguments.get(argument.name);
      if (meta.kind !== "primary-key" || value === undefined) return [];
      return [isEqual(target, meta.column, value)];
    });
    return { kind: "and", items };
  }
}

/** A column of a primary key has the value. */
export function isEqual(
  { permission }: Pick<VisibleTable, "permission">,
  column: TableColumn,
  value: Input,
): Condition {
  const operand: Operand = { kind: "column", column, redaction: permission.columns.get(column.name) };
  const parameter = parameterOf(value, column.type, inputType(column.type));
  return { kind: "compare", operand, operator: equals, value: { kind: "parameter", parameter } };
}

/** Hasura clamps string offsets to the bigint range. Long ones are not converted, because that takes more than linear time. */
function clamped(digits: string): string {
  const significant = digits.replace(/^0+(?=\d)/, "");
  const limit = String(largestOffset);
  return significant.length > limit.length || (significant.length === limit.length && significant > limit)
    ? limit
    : significant;
}

function sameOperand(one: Operand, other: Operand): boolean {
  return one.kind === "column" && other.kind === "column" && one.column === other.column;
}

/** Postgres requires the distinct columns first in the order. */
function checkDistinct(distinctOn: readonly Operand[], orderBy: readonly OrderItem[], path: string): void {
  if (distinctOn.length === 0 || orderBy.length === 0) return;
  const initial = orderBy
    .slice(0, distinctOn.length)
    .flatMap(({ value }) => (value.kind === "operand" ? [value.operand] : []));
  const covered =
    initial.length === distinctOn.length &&
    distinctOn.every((operand) => initial.some((ordered) => sameOperand(operand, ordered)));
  if (!covered) throw invalid('"distinct_on" columns must match initial "order_by" columns', `${path}.args`);
}

/** Output form of a column; for an enum table, the field's type defines its values. */
export function columnForm({ type, enumeration }: TableColumn, stringify: boolean): ScalarForm {
  return enumeration?.inCapitals === true ? "capitals" : formOf(type, stringify);
}

export function formOf(type: DatabaseType, stringify: boolean): ScalarForm {
  if (stringify && isStringified(type)) return "text";
  return type.name === "geometry" || type.name === "geography" ? "geojson" : "plain";
}

function directionOf(input: Input): OrderDirection | undefined {
  if (input.kind === "null") return undefined;
  const meta = input.kind === "enum" ? enumMeta(input.value) : undefined;
  if (meta?.kind !== "direction") throw invalid("an ordering is expected", input.path);
  return meta.direction;
}

type Wrap = (value: OrderValue) => OrderValue;

function aggregateItems(source: RowSource, permission: Condition, input: Input, wrap: Wrap): readonly OrderItem[] {
  if (input.kind === "null") return [];
  if (input.kind !== "object") throw invalid("expected an object", input.path);
  const item = (name: string, operand: Operand | undefined, value: Input): readonly OrderItem[] => {
    const direction = directionOf(value);
    return direction === undefined
      ? []
      : [{ ...direction, value: wrap({ kind: "aggregate", source, permission, function: name, operand }) }];
  };
  return input.entries.flatMap(({ field, value }): readonly OrderItem[] => {
    const meta = inputMeta(field);
    if (meta.kind === "count") return item("count", undefined, value);
    if (meta.kind !== "aggregate-function") throw invalid("an aggregate is expected", value.path);
    return entriesOf(value).flatMap((entry) => {
      const inner = inputMeta(entry.field);
      if (inner.kind !== "scalar") throw invalid("a column is expected", entry.value.path);
      return item(meta.name, operandOf(inner.scalar), entry.value);
    });
  });
}

/** Converts a checked `order_by` to the order. Null means none, but is rejected for columns of an aggregate, as in Hasura. */
function readOrder(input: Input, wrap: Wrap = (value) => value): readonly OrderItem[] {
  if (input.kind === "null") return [];
  if (input.kind === "list") return input.items.flatMap((item) => readOrder(item, wrap));
  if (input.kind !== "object") throw invalid("expected an object", input.path);
  return input.entries.flatMap(({ field, value }): readonly OrderItem[] => {
    const meta = inputMeta(field);
    switch (meta.kind) {
      case "scalar": {
        const direction = directionOf(value);
        return direction === undefined
          ? []
          : [{ ...direction, value: wrap({ kind: "operand", operand: operandOf(meta.scalar) }) }];
      }
      case "relationship": {
        const { relationship, target } = meta;
        return readOrder(value, (inner) =>
          wrap({ kind: "related", relationship, permission: target.permission.filter, value: inner }),
        );
      }
      case "relationship-aggregate":
        return aggregateItems(
          { kind: "related", relationship: meta.relationship },
          meta.target.permission.filter,
          value,
          wrap,
        );
      case "computed-aggregate":
        return aggregateItems(
          { kind: "computed", field: meta.field, arguments: impliedArguments(meta.field) },
          meta.target.permission.filter,
          value,
          wrap,
        );
      default:
        throw invalid("this cannot be ordered by", value.path);
    }
  });
}
