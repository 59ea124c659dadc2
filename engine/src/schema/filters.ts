import { nameKey, type DatabaseType } from "@routeql/metadata/catalog/catalog";
import { columnOperators, operatorName, sessionVariable } from "@routeql/metadata/filter-names";
import type { MergedPath } from "@routeql/metadata/read/load";
import {
  allOf,
  always,
  anyOf,
  type Condition,
  type FunctionArgument,
  type Operand,
  type Parameter,
  type Value,
} from "../sql/expression.ts";
import {
  argumentType,
  castable,
  comparisonOperators,
  inputType,
  isListArgument,
  isObjectArgument,
  operatorsOf,
  siblingType,
  textOperators,
  typeSql,
  type Operator,
} from "../sql/operators.ts";
import { sql, type Sql, trusted } from "../sql/sql.ts";
import type { ComputedField, Enumeration, RowModel, TrackedTable } from "../model.ts";
import { booleanType, floatType, integerType, textType } from "./scalars.ts";
import { UnfitValue } from "./json-values.ts";
import { toText } from "./values.ts";

export interface FilterContext {
  readonly tables: ReadonlyMap<string, TrackedTable>;
  readonly report: (path: MergedPath, reason: string) => void;
  /** The table or logical model of the permission, to which a path `["$", column]` refers. */
  readonly root: RowModel;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A value of metadata: a session variable, or a constant. @throws UnfitValue */
export function parameterOfMetadata(value: unknown, type: DatabaseType | undefined, cast: Sql): Parameter {
  const name = sessionVariable(value);
  if (name !== undefined) return { source: { kind: "session", name }, type: cast };
  return constantOfMetadata(value, type ?? textType, cast);
}

/** A constant, also in place of a session variable: in a list, Hasura takes every text literally. @throws UnfitValue */
function constantOfMetadata(value: unknown, type: DatabaseType, cast: Sql): Parameter {
  return { source: { kind: "constant", text: toText(value, type) }, type: cast };
}

function elementType(operator: Operator, type: DatabaseType): DatabaseType {
  return operator.argument === "same" || operator.argument === "list" || operator.argument === "ltree-list"
    ? type
    : textType;
}

/** Converts a filter of metadata to a condition. Invalid parts are reported with their path and omitted. */
export class FilterReader {
  readonly #context: FilterContext;

  constructor(context: FilterContext) {
    this.#context = context;
  }

  read(filter: unknown, table: RowModel, path: MergedPath): Condition {
    if (!isRecord(filter)) return this.#fail(path, "a filter is an object");
    return allOf(
      ...Object.entries(filter).map(([key, value]) =>
        this.#entry(operatorName(key), key, value, table, [...path, key]),
      ),
    );
  }

  #fail(path: MergedPath, reason: string): Condition {
    this.#context.report(path, reason);
    return { kind: "or", items: [] };
  }

  #list(value: unknown, table: RowModel, path: MergedPath): readonly Condition[] {
    if (!Array.isArray(value)) return [this.#fail(path, "a list of filters is expected")];
    return value.map((item, index) => this.read(item, table, [...path, index]));
  }

  #entry(name: string, key: string, value: unknown, table: RowModel, path: MergedPath): Condition {
    if (name === "_and") return { kind: "and", items: this.#list(value, table, path) };
    if (name === "_or") return { kind: "or", items: this.#list(value, table, path) };
    if (name === "_not") return { kind: "not", item: this.read(value, table, path) };
    if (name === "_exists") return this.#exists(value, path);
    const column = table.columns.get(key);
    if (column !== undefined)
      return this.#operators({ kind: "column", column, redaction: undefined }, column.type, value, table, path);
    const relationship = table.relationships.get(key);
    if (relationship !== undefined) {
      return { kind: "related", relationship, permission: always, where: this.read(value, relationship.target, path) };
    }
    const field = table.computedFields.get(key);
    if (field !== undefined) return this.#computed(field, value, table, path);
    return this.#fail(path, `${table.key} has no column, relationship or computed field ${key}`);
  }

  #exists(value: unknown, path: MergedPath): Condition {
    if (!isRecord(value)) return this.#fail(path, "an object with _table and _where is expected");
    const named = value["_table"];
    const { schema, name } = isRecord(named) ? named : { name: named };
    const key = { schema: typeof schema === "string" ? schema : "public", name: typeof name === "string" ? name : "" };
    const table = this.#context.tables.get(nameKey(key));
    if (table === undefined) return this.#fail([...path, "_table"], "this table is not tracked");
    const extra = Object.keys(value).filter((key) => key !== "_table" && key !== "_where");
    if (extra.length > 0) return this.#fail([...path, extra[0] ?? ""], "unknown key");
    return { kind: "exists", table, where: this.read(value["_where"], table, [...path, "_where"]) };
  }

  #computed(field: ComputedField, value: unknown, table: RowModel, path: MergedPath): Condition {
    if (field.call.arguments.some(({ kind }) => kind === "client"))
      return this.#fail(path, "a computed field with arguments of its own cannot be in a filter");
    const given = impliedArguments(field);
    if (field.result.kind === "table") {
      const where = this.read(value, field.result.target, path);
      return { kind: "computed-rows", field, arguments: given, permission: always, where };
    }
    const operand = { kind: "computed", field, arguments: given, redaction: undefined } as const;
    return this.#operators(operand, field.result.type, value, table, path);
  }

  /** `{column: value}` is short for `{column: {_eq: value}}`. */
  #operators(operand: Operand, type: DatabaseType, value: unknown, table: RowModel, path: MergedPath): Condition {
    if (type.name === "json") return this.#fail(path, "JSON column can not be part of boolean expression");
    if (!isRecord(value)) return this.#comparison("_eq", operand, type, value, table, path);
    return allOf(
      ...Object.entries(value).map(([key, given]) =>
        this.#comparison(operatorName(key), operand, type, given, table, [...path, key]),
      ),
    );
  }

  #comparison(
    name: string,
    operand: Operand,
    type: DatabaseType,
    value: unknown,
    table: RowModel,
    path: MergedPath,
  ): Condition {
    if (name === "_is_null") {
      return typeof value === "boolean"
        ? { kind: "is-null", operand, negated: !value }
        : this.#fail(path, "true or false is expected");
    }
    if (name === "_cast" && isRecord(value) && Object.keys(value).length === 0) return always;
    if (name === "_cast" && (type.name === "geometry" || type.name === "geography")) {
      const other = siblingType(type, type.name === "geometry" ? "geography" : "geometry");
      const inner = isRecord(value) ? value[other.name] : undefined;
      if (!isRecord(inner)) return this.#fail(path, `{${other.name}: {…}} is expected`);
      return this.#operators({ kind: "cast", operand, type: typeSql(other) }, other, inner, table, [
        ...path,
        other.name,
      ]);
    }
    if (name === "_cast" && castable.has(type.name)) {
      const inner = isRecord(value) ? value["text"] : undefined;
      if (!isRecord(inner)) return this.#fail(path, "{text: {…}} is expected");
      return this.#operators({ kind: "text", operand }, textType, inner, table, [...path, "text"]);
    }
    const plain = columnOperators[name];
    const enumeration = operand.kind === "column" ? operand.column.enumeration : undefined;
    const operators =
      operand.kind === "text" ? textOperators : enumeration === undefined ? operatorsOf(type) : comparisonOperators;
    const operator = operators.find((known) => known.name === (plain ?? name));
    if (operator === undefined) return this.#fail(path, `the operator ${name} is not served for type ${type.name}`);
    if (plain !== undefined) return this.#columnComparison(operand, operator, type, value, table, path);
    if (value === null && (name === "_eq" || name === "_neq")) return equalsNull(operand, name === "_neq");
    const unknown = enumeration === undefined ? undefined : unknownValue(value, enumeration);
    if (unknown !== undefined) return this.#fail(path, unknown);
    try {
      return { kind: "compare", operand, operator, value: this.#value(operator, type, value) };
    } catch (error) {
      if (error instanceof UnfitValue) return this.#fail(path, error.message);
      throw error;
    }
  }

  #value(operator: Operator, type: DatabaseType, value: unknown): Value {
    const cast = argumentType(operator, type);
    // A comparison with null holds for no row.
    if (value === null && !isListArgument(operator) && !isObjectArgument(operator) && operator.argument !== "distance")
      return { kind: "parameter", parameter: { source: { kind: "constant", text: null }, type: cast } };
    if (operator.argument === "distance") return this.#distance(type, value);
    if (isObjectArgument(operator)) return this.#bandAndGeometry(operator, type, value);
    const element = elementType(operator, type);
    if (isListArgument(operator) && Array.isArray(value)) {
      const own = trusted(cast.slice(0, -2));
      return { kind: "list", items: value.map((item) => constantOfMetadata(item, element, own)), type: cast };
    }
    if (isListArgument(operator)) {
      if (sessionVariable(value) === undefined)
        throw new UnfitValue("a list, or a session variable that holds a Postgres array, is expected");
      return { kind: "parameter", parameter: parameterOfMetadata(value, undefined, cast) };
    }
    return { kind: "parameter", parameter: parameterOfMetadata(value, element, cast) };
  }

  #distance(type: DatabaseType, value: unknown): Value {
    if (!isRecord(value) || value["from"] === undefined || value["distance"] === undefined)
      throw new UnfitValue("an object with from and distance is expected");
    const items = [
      parameterOfMetadata(value["from"], type, inputType(type)),
      parameterOfMetadata(value["distance"], floatType, typeSql(floatType)),
    ];
    if (type.name === "geography" && value["use_spheroid"] !== undefined)
      items.push(parameterOfMetadata(value["use_spheroid"], booleanType, typeSql(booleanType)));
    return { kind: "arguments", items };
  }

  #bandAndGeometry({ argument }: Operator, type: DatabaseType, value: unknown): Value {
    const band = isRecord(value) ? value["nband"] : undefined;
    const bandIsNeeded = argument === "band-and-geometry";
    if (!isRecord(value) || value["geommin"] === undefined || (bandIsNeeded && band === undefined))
      throw new UnfitValue("an object with geommin and nband is expected");
    const other = siblingType(type, "geometry");
    const geometry = parameterOfMetadata(value["geommin"], other, typeSql(other));
    const bands =
      band === undefined || band === null ? [] : [parameterOfMetadata(band, integerType, typeSql(integerType))];
    return { kind: "arguments", items: bandIsNeeded ? [...bands, geometry] : [geometry, ...bands] };
  }

  /** The other column belongs to the same row, or with `["$", column]` to the row at which the permission starts. */
  #columnComparison(
    operand: Operand,
    operator: Operator,
    type: DatabaseType,
    value: unknown,
    table: RowModel,
    path: MergedPath,
  ): Condition {
    const steps = Array.isArray(value) ? (value as readonly unknown[]) : [value];
    const fromRoot = steps.length === 2 && steps[0] === "$";
    const name = fromRoot ? steps[1] : steps[0];
    if (typeof name !== "string" || (steps.length !== 1 && !fromRoot))
      return this.#fail(path, 'a column, or ["$", column], is expected');
    const owner = fromRoot ? this.#context.root : table;
    const found = owner.columns.get(name);
    if (found === undefined) return this.#fail(path, `${owner.key} has no column ${name}`);
    const enumeration = operand.kind === "column" ? operand.column.enumeration : undefined;
    if (found.type.name !== type.name || found.enumeration !== enumeration)
      return this.#fail(
        path,
        `incompatible column types: it has type ${type.name}, but ${name} has type ${found.type.name}`,
      );
    const other = { kind: "column", column: name, scope: fromRoot ? "root" : "current" } as const;
    return { kind: "compare", operand, operator, value: other };
  }
}

/** The reason why a constant is no value of an enum table; a session variable is known later. */
export function unknownValue(value: unknown, { values, typeName }: Enumeration): string | undefined {
  const texts = Array.isArray(value)
    ? (value as readonly unknown[])
    : sessionVariable(value) === undefined
      ? [value]
      : [];
  const unknown = texts.find((text) => text !== null && !values.some(({ value: known }) => known === text));
  if (unknown === undefined) return undefined;
  const known = values.map(({ value: each }) => JSON.stringify(each)).join(", ");
  return `expected one of the values ${known} for type ${JSON.stringify(typeName)}, given ${JSON.stringify(unknown)}`;
}

/** As in Hasura, a comparison with null that does not hold has no result, also for a column that is never null. */
function equalsNull(operand: Operand, negated: boolean): Condition {
  const unknown = { kind: "unknown" } as const;
  if (operand.kind === "column" && !operand.column.nullable) return unknown;
  return anyOf({ kind: "is-null", operand, negated }, unknown);
}

/** A computed field's arguments without values from the client: the row, the session, and defaults for the rest. */
export function impliedArguments(field: ComputedField): readonly FunctionArgument[] {
  const result: FunctionArgument[] = [];
  let skipped = false;
  for (const [index, argument] of field.call.arguments.entries()) {
    if (argument.kind === "client") skipped = true;
    else if (argument.kind === "row") result.push({ kind: "row" });
    else {
      const declared = field.call.function.arguments[index];
      const parameter = {
        source: { kind: "session-object" },
        type: declared === undefined ? sql`json` : typeSql(declared.type),
      } as const;
      result.push({ kind: "parameter", name: skipped ? declared?.name : undefined, parameter });
    }
  }
  return result;
}
