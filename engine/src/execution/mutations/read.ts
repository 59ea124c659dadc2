import { invalid } from "../../errors.ts";
import type { Input } from "../document/input.ts";
import { argumentsByKind, isEqual } from "../plan/rows.ts";
import type { DefinedField, SelectReader } from "../plan/select.ts";
import { entriesOf, listValue, parameterOf } from "../plan/where.ts";
import { argumentMeta, enumMeta, inputMeta, outputMeta, type OutputMeta, type WriteTarget } from "../../schema/meta.ts";
import type { MutationKind } from "../../schema/meta.ts";
import type { TableColumn } from "../../model.ts";
import { allOf, always, type Condition, type Value } from "../../sql/expression.ts";
import { arrayOf, inputType } from "../../sql/operators.ts";
import type { UpdateOperator } from "../../schema/mutations/operators.ts";
import type { UpdatePermission } from "../../schema/mutations/permissions.ts";
import type { Cell, ColumnChange, Conflict, Insert, NewRow, Output, RelatedInsert, Update, Write } from "./write.ts";

type ChangeMeta = OutputMeta & { readonly kind: MutationKind };

/** Converts selected root fields of a mutation to changes. */
export class WriteReader {
  readonly #select: SelectReader;

  constructor(select: SelectReader) {
    this.#select = select;
  }

  /** Hasura's order: the arguments, then the selection. */
  write(field: DefinedField, meta: ChangeMeta, depth: number): Write {
    const { kind, target } = meta;
    const given = argumentsByKind(field);
    if (kind === "insert" || kind === "insert-one") {
      const path = `$.selectionSet.${field.name}.args.${kind === "insert" ? "objects" : "object"}`;
      const insert = this.#insert(target, given.get("on-conflict"), required(given.get("objects"), field));
      return { kind: "insert", path, insert, output: this.#output(field, kind === "insert-one", depth) };
    }
    if (kind === "delete" || kind === "delete-by-pk") {
      const filter = target.delete?.filter ?? always;
      const where =
        kind === "delete"
          ? this.#select.rows.where.read(required(given.get("where"), field), filter)
          : this.#select.rows.byKey(target, field);
      return {
        kind: "delete",
        target,
        where: allOf(filter, where),
        output: this.#output(field, kind !== "delete", depth),
      };
    }
    const batches = this.#batches(field, kind, target, given);
    const output = this.#output(field, kind === "update-by-pk", depth);
    return { kind: "update", target, batches, isMany: kind === "update-many", output };
  }

  #batches(
    field: DefinedField,
    kind: "update" | "update-by-pk" | "update-many",
    target: WriteTarget,
    given: ReadonlyMap<string, Input>,
  ): readonly Update[] {
    const permission = target.update;
    if (permission === undefined) throw new Error("an update needs a permission");
    const filter = permission.filter;
    if (kind === "update-many") {
      const updates = required(given.get("updates"), field);
      return itemsOf(updates).map((item) => {
        const operators: [UpdateOperator, Input][] = [];
        let where = always;
        for (const { field: own, value } of entriesOf(item)) {
          const meta = inputMeta(own);
          if (meta.kind === "update-operator") operators.push([meta.operator, value]);
          else where = this.#select.rows.where.read(value, filter);
        }
        return { changes: changesOf(permission, operators, item.path), where: allOf(filter, where) };
      });
    }
    const operators = field.definition.args.flatMap((argument): [UpdateOperator, Input][] => {
      const meta = argumentMeta(argument);
      const value = field.arguments.get(argument.name);
      return meta.kind === "update-operator" && value !== undefined ? [[meta.operator, value]] : [];
    });
    const changes = changesOf(permission, operators, `${field.path}.args`);
    const where =
      kind === "update"
        ? this.#select.rows.where.read(required(given.get("where"), field), filter)
        : keyCondition(target, required(given.get("pk-columns"), field));
    return [{ changes, where: allOf(filter, where) }];
  }

  #insert(target: WriteTarget, conflict: Input | undefined, objects: Input): Insert {
    const { insert: permission } = target;
    if (permission === undefined) throw new Error("an insert needs a permission");
    return {
      target,
      permission,
      conflict: conflict === undefined ? undefined : this.#conflict(target, conflict),
      rows: itemsOf(objects).map((item) => this.#row(item)),
    };
  }

  #row(input: Input): NewRow {
    const cells: Cell[] = [];
    const related: RelatedInsert[] = [];
    for (const { field, value } of entriesOf(input)) {
      const meta = inputMeta(field);
      if (meta.kind === "write-column") cells.push({ column: meta.column, parameter: cellOf(meta.column, value) });
      else if (meta.kind === "insert-related" && value.kind !== "null") {
        const { relationship, target } = meta;
        const parts = new Map(entriesOf(value).map((entry) => [inputMeta(entry.field).kind, entry.value]));
        const data = parts.get("data");
        if (data === undefined) continue;
        const insert = this.#insert(target, parts.get("on-conflict"), data);
        if (insert.rows.length > 0) related.push({ relationship, insert });
      }
    }
    return { cells, related };
  }

  #conflict(target: WriteTarget, input: Input): Conflict {
    const filter = target.update?.filter ?? always;
    let constraint = "";
    let columns: readonly TableColumn[] = [];
    let where = always;
    for (const { field, value } of entriesOf(input)) {
      const { kind } = inputMeta(field);
      if (kind === "constraint") {
        const meta = value.kind === "enum" ? enumMeta(value.value) : undefined;
        if (meta?.kind === "constraint") constraint = meta.name;
      } else if (kind === "update-columns") columns = itemsOf(value).map((item) => updateColumn(item, value.path));
      else {
        if (value.kind === "null") entriesOf(value);
        where = this.#select.rows.where.read(value, filter);
      }
    }
    return { constraint, columns, where: allOf(filter, where) };
  }

  #output(field: DefinedField, isRow: boolean, depth: number): Output {
    if (isRow) return { kind: "row", fields: this.#select.fields(field, depth) };
    const fields = this.#select.below(field, depth, (child) => {
      if (outputMeta(child.definition).kind === "affected-rows") return { kind: "affected" as const };
      const selected = this.#select.spending.inList(child.path, () => this.#select.fields(child, depth + 1));
      return { kind: "returning" as const, fields: selected };
    });
    return { kind: "rows", fields };
  }
}

function required(input: Input | undefined, { path }: DefinedField): Input {
  if (input === undefined) throw invalid("an argument is missing", path);
  return input;
}

/** A single object counts as a list of one. */
function itemsOf(input: Input): readonly Input[] {
  return input.kind === "list" ? input.items : [input];
}

function cellOf(column: TableColumn, value: Input) {
  return parameterOf(value, column.type, inputType(column.type), { acceptsNull: column.nullable });
}

function updateColumn(item: Input, path: string): TableColumn {
  const meta = item.kind === "enum" ? enumMeta(item.value) : undefined;
  if (meta?.kind !== "update-column") throw invalid("erroneous column name", path.slice(0, path.lastIndexOf(".")));
  return meta.column;
}

/** The presets of the permission, and the changes of the client. @throws EngineError for a column with two operators */
function changesOf(
  { presets }: UpdatePermission,
  operators: readonly (readonly [UpdateOperator, Input])[],
  path: string,
): readonly ColumnChange[] {
  const changes: ColumnChange[] = presets.map(({ column, parameter }) => ({
    column,
    operator: undefined,
    value: { kind: "parameter", parameter },
  }));
  for (const [operator, input] of operators) {
    for (const { field, value } of entriesOf(input)) {
      const meta = inputMeta(field);
      if (meta.kind !== "write-column") continue;
      changes.push({ column: meta.column, operator, value: changeValue(operator, meta.column, value) });
    }
  }
  const names = changes.map(({ column }) => column.name);
  const twice = new Set(names.filter((name, index) => names.indexOf(name) !== index));
  if (twice.size > 0) {
    const listed = [...twice].map((name) => `'${name}'`).join(", ");
    throw invalid(`Column found in multiple operators: [${listed}].`, path);
  }
  return changes;
}

function changeValue({ argument, isList, takesNull }: UpdateOperator, column: TableColumn, input: Input): Value {
  const type = argument ?? column.type;
  if (isList === true) return listValue(input, type, arrayOf(type));
  const acceptsNull = takesNull ?? column.nullable;
  return { kind: "parameter", parameter: parameterOf(input, type, inputType(type), { acceptsNull }) };
}

function keyCondition(target: WriteTarget, input: Input): Condition {
  return {
    kind: "and",
    items: entriesOf(input).flatMap(({ field, value }): Condition[] => {
      const meta = inputMeta(field);
      return meta.kind === "write-column" ? [isEqual(target, meta.column, value)] : [];
    }),
  };
}
