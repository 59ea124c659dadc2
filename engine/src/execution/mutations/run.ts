import { EngineError, invalid } from "../../errors.ts";
import { resolveParameters } from "../plan/prepared-plan.ts";
import type { Spending } from "../../cost/limits.ts";
import type { Session } from "../../interface.ts";
import { type Bytes, bytesOf, jsonArray, textOf } from "../../postgres/bytes.ts";
import type { Row } from "../../postgres/connection.ts";
import type { OutputValue } from "../../sql/select.ts";
import { finalText, type Sql } from "../../sql/sql.ts";
import { type Determined, type Inserted, NestedInsert } from "./insert-related.ts";
import { type TextRow, WritePrinter } from "./print.ts";
import type { TableColumn } from "../../model.ts";
import type { Insert, NewRow, Output, Write } from "./write.ts";

/** Runs one statement of the transaction. @param path place of the request in errors */
export type Ask = (text: Sql, values: readonly unknown[], path?: string) => Promise<readonly Row[]>;

/** Statements of one mutation. A row with related rows needs one of its own. */
const mostStatements = 1_000;

const nothing = bytesOf("null");

/** Runs the root fields of one mutation within its transaction. */
export class MutationRun {
  readonly #ask: Ask;
  readonly #session: Session;
  readonly #variables: Readonly<Record<string, unknown>>;
  readonly #spending: Spending;
  #statements = 0;

  constructor(ask: Ask, session: Session, variables: Readonly<Record<string, unknown>>, spending: Spending) {
    this.#ask = ask;
    this.#session = session;
    this.#variables = variables;
    this.#spending = spending;
  }

  /** The reply of one root field. @throws EngineError */
  async run(write: Write): Promise<Bytes> {
    switch (write.kind) {
      case "function": {
        const { template, parameters } = write.statement;
        const values = resolveParameters(parameters, this.#session, this.#variables);
        const [row] = await this.#ask(finalText(template), values);
        return row?.[0] ?? nothing;
      }
      case "insert":
        return this.#insert(write);
      case "update":
        return this.#update(write);
      default: {
        const { target, where, output } = write;
        return this.#change((printer) => printer.delete(target, where), target.table, output);
      }
    }
  }

  async #statement(template: Sql, printer: WritePrinter, path?: string): Promise<readonly Row[]> {
    this.#statements += 1;
    if (this.#statements > mostStatements)
      throw invalid(
        `the mutation needs more statements than the limit of ${mostStatements}. Insert fewer rows at once`,
      );
    const values = resolveParameters(printer.parameters, this.#session, this.#variables);
    return this.#ask(finalText(template), values, path);
  }

  /** One change. Replies with related rows are read afterwards, when they show the effects of the change. */
  async #change(
    change: (printer: WritePrinter) => Sql,
    table: Insert["target"]["table"],
    output: Output,
    path?: string,
  ): Promise<Bytes> {
    const printer = new WritePrinter(this.#spending);
    const printed = change(printer);
    if (!showsRelated(output)) {
      const [row] = await this.#statement(printer.changeAndShow(printed, table, output), printer, path);
      checked(row, path);
      return row?.[0] ?? nothing;
    }
    const [row] = await this.#statement(printer.changeAndKeep(printed, table), printer, path);
    checked(row, path);
    return this.#show(table, textAt(row, 0) ?? "{}", undefined, output, path);
  }

  async #show(
    table: Insert["target"]["table"],
    array: string,
    affected: number | undefined,
    output: Output,
    path?: string,
  ): Promise<Bytes> {
    const printer = new WritePrinter(this.#spending);
    const [row] = await this.#statement(printer.show(table, array, affected, output), printer, path);
    return row?.[0] ?? nothing;
  }

  async #insert(write: Write & { readonly kind: "insert" }): Promise<Bytes> {
    const { insert, output, path } = write;
    if (insert.rows.length === 0) return emptyReply(output);
    const { table } = insert.target;
    const nested = new NestedInsert(
      (own, rows, at, wanted) => this.#rows(own, rows, at, wanted),
      (own, row, determined) => this.#textRow(own, row, determined),
    );
    if (insert.rows.every(({ related }) => related.length === 0)) {
      const rows = insert.rows.map((row) => this.#textRow(insert, row, new Map()));
      return this.#change((printer) => printer.insert(insert, rows), table, output, path);
    }
    const { arrays, affected } = await nested.all(insert, new Map(), path);
    return this.#show(table, joined(arrays), affected, output, path);
  }

  /** The values of a row as text. A preset of the permission takes precedence over all others. */
  #textRow({ permission }: Insert, { cells }: NewRow, determined: Determined): TextRow {
    const given = [...cells, ...permission.presets];
    const texts = resolveParameters(
      given.map(({ parameter }) => parameter),
      this.#session,
      this.#variables,
    );
    const row = new Map<TableColumn, string | null>(determined);
    const names = new Map([...row.keys()].map((column) => [column.name, column]));
    for (const [index, { column }] of given.entries()) {
      const known = names.get(column.name);
      if (known !== undefined) row.delete(known);
      names.set(column.name, column);
      row.set(column, texts[index] ?? null);
    }
    return row;
  }

  async #rows(
    insert: Insert,
    rows: readonly TextRow[],
    path: string,
    wanted: readonly TableColumn[] = [],
  ): Promise<Inserted> {
    const printer = new WritePrinter(this.#spending);
    const change = printer.insert(insert, rows);
    const [row] = await this.#statement(printer.changeAndKeep(change, insert.target.table, wanted), printer, path);
    checked(row, path);
    return {
      array: textAt(row, 0) ?? "{}",
      affected: Number(textAt(row, 2)),
      columns: new Map(wanted.map((column, index) => [column, textAt(row, 3 + index)])),
    };
  }

  async #update(write: Write & { readonly kind: "update" }): Promise<Bytes> {
    const { target, batches, isMany, output } = write;
    if (batches.every(({ changes }) => changes.length === 0)) return isMany ? bytesOf("[]") : emptyReply(output);
    const replies: Bytes[] = [];
    for (const batch of batches) {
      // Hasura's statement without any column is not valid SQL.
      if (batch.changes.length === 0) throw new EngineError({ code: "unexpected", message: "database query error" });
      replies.push(await this.#change((printer) => printer.update(target, batch), target.table, output));
    }
    return isMany ? jsonArray(replies) : (replies[0] ?? nothing);
  }
}

function textAt(row: Row | undefined, index: number): string | null {
  const value = row?.[index];
  return value === null || value === undefined ? null : textOf(value);
}

/** @throws EngineError when a changed row does not pass the permission's check */
function checked(row: Row | undefined, path: string | undefined): void {
  if (textAt(row, 1) === "t") return;
  const message = "check constraint of an insert/update permission has failed";
  throw new EngineError({ code: "permission-error", message, ...(path === undefined ? {} : { path }) });
}

function isRelated(value: OutputValue): boolean {
  return (
    (value.kind === "row" || value.kind === "rows" || value.kind === "aggregate") &&
    "relationship" in value.query.source
  );
}

function showsRelated(output: Output): boolean {
  if (output.kind === "row") return output.fields.some(({ value }) => isRelated(value));
  return output.fields.some(
    ({ value }) => value.kind === "returning" && value.fields.some((field) => isRelated(field.value)),
  );
}

/** Arrays of rows as one. */
function joined(arrays: readonly string[]): string {
  const items = arrays.map((array) => array.slice(1, -1)).filter((array) => array !== "");
  return `{${items.join(",")}}`;
}

function emptyReply(output: Output): Bytes {
  if (output.kind === "row") return bytesOf("{}");
  const fields = output.fields.map(({ key, value }) => [
    key,
    value.kind === "affected" ? 0 : value.kind === "returning" ? [] : value.text,
  ]);
  return bytesOf(JSON.stringify(Object.fromEntries(fields)));
}
