import type { GraphQLField } from "graphql";
import type { Spending } from "../../cost/limits.ts";
import { readFunctionArguments } from "./function-arguments.ts";
import type { Input } from "../document/input.ts";
import { invalid } from "../../errors.ts";
import { argumentsByKind, columnForm, formOf, RowReader } from "./rows.ts";
import type { SelectedField, SelectionReader } from "../document/selection.ts";
import { columnsOf, notNull, operandOf, parameterOf, type WhereOptions } from "./where.ts";
import {
  inputMeta,
  outputMeta,
  type OutputMeta,
  type ScalarMeta,
  scalarType,
  type Visible,
  type VisibleTable,
} from "../../schema/meta.ts";
import type { NativeArgument, NativeQuery, RowModel } from "../../model.ts";
import type { Operand, Parameter } from "../../sql/expression.ts";
import { inputType } from "../../sql/operators.ts";
import type {
  AggregateColumn,
  AggregateField,
  AggregateValue,
  OutputField,
  OutputValue,
  RowSource,
} from "../../sql/select.ts";

export type DefinedField = SelectedField & { readonly definition: GraphQLField<unknown, unknown> };

export function isDefined(field: SelectedField): field is DefinedField {
  return field.definition !== undefined;
}

const nothing: ReadonlyMap<string, Input> = new Map();

export interface SelectOptions extends WhereOptions {
  readonly stringifyNumericTypes: boolean;
}

/** An aggregated computed field with the client's arguments. */
function aggregated(scalar: ScalarMeta, field: DefinedField): Operand {
  if (scalar.kind === "column") return operandOf(scalar);
  const given = argumentsByKind(field).get("function-arguments");
  const args = readFunctionArguments(scalar.field.call, given, field.path);
  return { kind: "computed", field: scalar.field, arguments: args, redaction: scalar.redaction };
}

/** Converts selected fields to the input of the SQL printer. */
export class SelectReader {
  readonly rows: RowReader;
  readonly spending: Spending;
  readonly #selection: SelectionReader;
  readonly #stringify: boolean;

  constructor(selection: SelectionReader, options: SelectOptions, spending: Spending) {
    this.#selection = selection;
    this.spending = spending;
    this.#stringify = options.stringifyNumericTypes;
    this.rows = new RowReader(selection.inputs, options);
  }

  /** The fields below a field, with `__typename` filled in. */
  below<Value>(
    field: SelectedField,
    depth: number,
    read: (field: DefinedField) => Value,
  ): { key: string; value: Value | { kind: "constant"; text: string } }[] {
    const type = field.objectType;
    if (type === undefined) throw invalid(`missing selection set for '${field.name}'`, field.path);
    return this.#selection
      .fields(type, field.selectionSets, field.path, depth)
      .map((child) => ({
        key: child.key,
        value: isDefined(child) ? read(child) : { kind: "constant" as const, text: type.name },
      }))
      .toArray();
  }

  fields(field: SelectedField, depth: number): readonly OutputField[] {
    return this.below(field, depth, (child) => this.#field(child, depth + 1));
  }

  /** Rows with their selection; the role's row limit applies to a list. */
  #rows(
    source: RowSource,
    target: Visible<RowModel>,
    given: ReadonlyMap<string, Input>,
    field: DefinedField,
    depth: number,
    kind: "row" | "rows",
  ): OutputValue {
    const query = this.rows.query(source, target, given, field.path, kind === "rows" ? "limited" : "unlimited");
    const read = () => this.fields(field, depth);
    return { kind, query, fields: kind === "rows" ? this.spending.inList(field.path, read) : read() };
  }

  #field(field: DefinedField, depth: number): OutputValue {
    const meta = outputMeta(field.definition);
    const given = argumentsByKind(field);
    switch (meta.kind) {
      case "column": {
        const { column, redaction } = meta;
        const path = this.rows.jsonPath(given.get("path"));
        const form = columnForm(column, this.#stringify);
        return { kind: "scalar", operand: { kind: "column", column, redaction }, form, path };
      }
      case "relationship": {
        const { relationship, target } = meta;
        const kind = relationship.kind === "object" ? "row" : "rows";
        return this.#rows({ kind: "related", relationship }, target, given, field, depth, kind);
      }
      case "relationship-aggregate":
        return this.aggregate(field, { kind: "related", relationship: meta.relationship }, meta.target, given, depth);
      case "computed":
        return this.#computed(field, meta, given, depth);
      case "native-query":
        return this.#native(field, meta, given, depth);
      default:
        throw invalid(`field '${field.name}' cannot be selected here`, field.path);
    }
  }

  #computed(
    field: DefinedField,
    meta: OutputMeta & { kind: "computed" },
    given: ReadonlyMap<string, Input>,
    depth: number,
  ): OutputValue {
    const args = readFunctionArguments(meta.field.call, given.get("function-arguments"), field.path);
    if (meta.target === undefined) {
      const type = meta.field.result.kind === "scalar" ? meta.field.result.type : undefined;
      const operand = { kind: "computed" as const, field: meta.field, arguments: args, redaction: meta.redaction };
      const form = type === undefined ? "plain" : formOf(type, this.#stringify);
      return { kind: "scalar", operand, form, path: this.rows.jsonPath(given.get("path")) };
    }
    const source: RowSource = { kind: "computed", field: meta.field, arguments: args };
    return this.#rows(source, meta.target, given, field, depth, "rows");
  }

  #native(
    field: DefinedField,
    { query, relationship, target }: OutputMeta & { kind: "native-query" },
    given: ReadonlyMap<string, Input>,
    depth: number,
  ): OutputValue {
    const kind = relationship?.kind === "object" ? "row" : "rows";
    const args = readNativeArguments(query, given.get("native-arguments"));
    const source: RowSource = { kind: "native", query, arguments: args, relationship };
    return this.#rows(source, target, given, field, depth, kind);
  }

  /** The role's row limit applies to `nodes` but not to the aggregates. */
  aggregate(
    field: SelectedField,
    source: RowSource,
    target: VisibleTable,
    given: ReadonlyMap<string, Input>,
    depth: number,
  ): OutputValue {
    const query = this.rows.query(source, target, given, field.path, "unlimited");
    const nodes = this.rows.query(source, target, given, field.path, "limited");
    const fields = this.below(field, depth, (child): AggregateField["value"] => {
      const meta = outputMeta(child.definition);
      if (meta.kind === "nodes") {
        const selected = this.spending.inList(child.path, () => this.fields(child, depth + 1));
        return { kind: "nodes", query: nodes, fields: selected };
      }
      const aggregates = this.below(child, depth + 1, (inner) => this.#aggregateValue(inner, depth + 2));
      return { kind: "aggregates", fields: aggregates };
    });
    return { kind: "aggregate", query, fields };
  }

  #aggregateValue(field: DefinedField, depth: number): AggregateValue["value"] {
    const meta = outputMeta(field.definition);
    if (meta.kind === "count") {
      const given = argumentsByKind(field);
      const columns = given.get("count-columns");
      const distinct = given.get("count-distinct");
      const isDistinct = distinct !== undefined && this.#selection.inputs.boolean(distinct);
      return { kind: "count", columns: columns && columnsOf(notNull(columns)), distinct: isDistinct };
    }
    return {
      kind: "columns",
      columns: this.below(field, depth, (child): AggregateColumn => {
        const inner = outputMeta(child.definition);
        if (inner.kind !== "aggregate-column") throw invalid(`field '${child.name}' cannot be aggregated`, child.path);
        const form = formOf(scalarType(inner.operand), this.#stringify);
        return { kind: "function", function: inner.name, operand: aggregated(inner.operand, child), form };
      }),
    };
  }

  /** A root field of a query or a live query. */
  root(field: DefinedField, depth: number): OutputValue {
    const meta = outputMeta(field.definition);
    const given = argumentsByKind(field);
    switch (meta.kind) {
      case "constant":
        return { kind: "constant", text: meta.text };
      case "select":
        return this.#rows({ kind: "table", table: meta.target.table }, meta.target, given, field, depth, "rows");
      case "select-by-pk": {
        const query = this.rows.query(
          { kind: "table", table: meta.target.table },
          meta.target,
          nothing,
          field.path,
          "unlimited",
        );
        const where = this.rows.byKey(meta.target, field);
        return { kind: "row", query: { ...query, where }, fields: this.fields(field, depth) };
      }
      case "native-query":
        return this.#native(field, meta, given, depth);
      case "select-aggregate":
        return this.aggregate(field, { kind: "table", table: meta.target.table }, meta.target, given, depth);
      case "function":
      case "function-aggregate": {
        const { call } = meta.function;
        const args = readFunctionArguments(call, given.get("function-arguments"), field.path);
        const source: RowSource = { kind: "function", call, arguments: args };
        if (meta.kind === "function-aggregate") return this.aggregate(field, source, meta.target, given, depth);
        return this.#rows(source, meta.target, given, field, depth, meta.function.returnsSet ? "rows" : "row");
      }
      default:
        throw invalid(`field '${field.name}' cannot be selected here`, field.path);
    }
  }
}

/** A native query's arguments from the client's `args`. Omitted nullable arguments are null. */
function readNativeArguments(query: NativeQuery, input: Input | undefined): ReadonlyMap<NativeArgument, Parameter> {
  const given = new Map<NativeArgument, Input>();
  if (input?.kind === "object") {
    for (const { field, value } of input.entries) {
      const meta = inputMeta(field);
      if (meta.kind === "native-argument") given.set(meta.argument, value);
    }
  }
  return new Map(
    query.arguments.map((argument) => {
      const value = given.get(argument);
      const sql = inputType(argument.type);
      return [
        argument,
        value === undefined
          ? { source: { kind: "constant", text: null }, type: sql }
          : parameterOf(value, argument.type, sql, { acceptsNull: argument.nullable }),
      ];
    }),
  );
}
