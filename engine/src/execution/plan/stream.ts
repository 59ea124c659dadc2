import { enumMeta, inputMeta, type VisibleTable } from "../../schema/meta.ts";
import { allOf, type Condition, type Operand, type Parameter } from "../../sql/expression.ts";
import { type Operator, typeSql } from "../../sql/operators.ts";
import { sql, type Sql } from "../../sql/sql.ts";
import type { Reads } from "../../sql/print.ts";
import { SelectPrinter } from "../../sql/select.ts";
import { invalid } from "../../errors.ts";
import type { Input } from "../document/input.ts";
import { argumentsByKind } from "./rows.ts";
import type { DefinedField, SelectReader } from "./select.ts";
import { operandOf, parameterOf } from "./where.ts";

export interface StreamPlan {
  readonly template: Sql;
  readonly parameters: readonly Parameter[];
  /** Index of the parameter with the cursor's value. */
  readonly cursor: number;
  readonly cursorName: string;
  readonly reads: Reads;
}

interface Cursor {
  readonly operand: Operand;
  readonly parameter: Parameter;
  readonly name: string;
  readonly descending: boolean;
}

/** Exactly one column, in any number of objects. */
function readCursor(input: Input | undefined, path: string): Cursor {
  const items = input?.kind === "list" ? input.items.filter(({ kind }) => kind !== "null") : [];
  const cursors = items.flatMap((item) => (item.kind === "object" ? readItem(item.entries) : []));
  const [cursor, ...others] = cursors;
  if (cursor === undefined) throw invalid("one streaming column field is expected", path);
  if (others.length > 0) throw invalid("multiple column cursors are not supported yet", path);
  return cursor;
}

function readItem(entries: (Input & { kind: "object" })["entries"]): readonly Cursor[] {
  const ordering = entries.find(({ field }) => inputMeta(field).kind === "ordering")?.value;
  if (ordering?.kind === "null")
    throw invalid("expected an enum value for type 'cursor_ordering', but found null", ordering.path);
  const meta = ordering?.kind === "enum" ? enumMeta(ordering.value) : undefined;
  const descending = meta?.kind === "direction" && meta.direction.descending;
  const start = entries.find(({ field }) => inputMeta(field).kind === "initial-value")?.value;
  if (start?.kind !== "object") return [];
  return start.entries.flatMap(({ field, value }) => {
    const scalar = inputMeta(field);
    if (scalar.kind !== "scalar" || scalar.scalar.kind !== "column") return [];
    const { type, nullable, graphqlName: name } = scalar.scalar.column;
    return [
      {
        operand: operandOf(scalar.scalar),
        parameter: { ...parameterOf(value, type, typeSql(type), { acceptsNull: nullable }), alone: true },
        name,
        descending,
      },
    ];
  });
}

/** A streaming subscription: rows strictly after the cursor, in its order. */
export function planStream(field: DefinedField, target: VisibleTable, reader: SelectReader, depth: number): StreamPlan {
  const given = argumentsByKind(field);
  const at = `${field.path}.args`;
  const rows = reader.rows.query({ kind: "table", table: target.table }, target, given, field.path, "limited");
  const cursor = readCursor(given.get("cursor"), at);
  const batch = reader.rows.integer(given.get("batch-size"));
  if (batch === undefined) throw invalid("missing required field 'batch_size'", `${field.path}.args.batch_size`);
  const symbol = cursor.descending ? sql`<` : sql`>`;
  const after: Operator = {
    name: "_after",
    argument: "same",
    print: (left, right) => sql`(${left} ${symbol} ${right})`,
  };
  const beyond: Condition = {
    kind: "compare",
    operand: cursor.operand,
    operator: after,
    value: { kind: "parameter", parameter: cursor.parameter },
  };
  const limit = rows.limit === undefined ? batch : Math.min(batch, Number(rows.limit));
  const printer = new SelectPrinter(reader.spending);
  const template = printer.stream(
    {
      ...rows,
      where: allOf(rows.where, beyond),
      orderBy: [
        { value: { kind: "operand", operand: cursor.operand }, descending: cursor.descending, nullsFirst: false },
      ],
      limit: String(limit),
    },
    reader.fields(field, depth),
    cursor.operand,
    cursor.descending,
  );
  return {
    template,
    parameters: printer.parameters,
    cursor: printer.parameters.indexOf(cursor.parameter),
    cursorName: cursor.name,
    reads: printer.reads,
  };
}
