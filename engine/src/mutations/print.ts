import { invalid } from "../errors.ts";
import type { TableColumn, TrackedTable } from "../schema/model.ts";
import { arrayText } from "../schema/values.ts";
import { always, type Condition, isAlways } from "../sql/expression.ts";
import { inputType } from "../sql/operators.ts";
import { identifier, literal, qualified, scopeOf } from "../sql/print.ts";
import { objectOf, type RowQuery, SelectPrinter } from "../sql/select.ts";
import type { Insert, Output, Update } from "./write.ts";

/** The changed table, in the statement that changes it. */
const changed = identifier("t");
const scope = scopeOf(changed);

/** The changed rows, as the statement's common table expression. */
const result = identifier("_changed");
const rows = "_rows";
const check = identifier("_check");

const query: RowQuery = {
  source: { kind: "named", name: rows },
  permission: always,
  where: always,
  distinctOn: [],
  orderBy: [],
  limit: undefined,
  offset: undefined,
};

/** Limit of Postgres' protocol. */
const mostParameters = 32_767;

/** A row to insert: the texts of its columns; an absent one gets the default. */
export type TextRow = ReadonlyMap<TableColumn, string | null>;

/** Columns of all rows, in the order of the table. */
function columnsOf({ columns }: TrackedTable, all: readonly TextRow[]): readonly TableColumn[] {
  return [...columns.values()].filter(({ name }) =>
    all.some((row) => [...row.keys()].some((own) => own.name === name)),
  );
}

const names = ({ catalog }: TrackedTable): readonly string[] => [...catalog.columns.keys()].map(identifier);

/** Prints statements that change one table. */
export class WritePrinter extends SelectPrinter {
  insert({ target, permission, conflict }: Insert, all: readonly TextRow[]): string {
    const columns = columnsOf(target.table, all);
    const head = `INSERT INTO ${qualified(target.table.catalog)} AS ${changed}`;
    const inserted = this.condition(permission.check, scope);
    const { update } = target;
    const checked =
      conflict === undefined || update?.check === undefined
        ? inserted
        : `CASE WHEN ${changed}.xmax = 0 THEN ${inserted} ELSE ${this.condition(update.check, scope)} END`;
    return `${head} ${this.#values(target.table, columns, all)}${this.#conflict(target.update, conflict)} ${returning(target.table, checked)}`;
  }

  #values(table: TrackedTable, columns: readonly TableColumn[], all: readonly TextRow[]): string {
    const [first] = names(table);
    if (columns.length === 0) return `(${first ?? ""}) VALUES ${all.map(() => "(DEFAULT)").join(", ")}`;
    const listed = columns.map(({ name }) => identifier(name)).join(", ");
    const maps = all.map((row) => new Map([...row].map(([{ name }, text]) => [name, text])));
    if (all.length > 1 && maps.every(({ size }) => size === columns.length))
      return `(${listed}) ${this.#arrays(columns, maps)}`;
    const tuples = maps.map((row) => {
      const cells = columns.map(({ name, type }) => {
        const text = row.get(name);
        return text === undefined
          ? "DEFAULT"
          : this.place({ source: { kind: "constant", text }, type: inputType(type), alone: true });
      });
      return `(${cells.join(", ")})`;
    });
    if (this.parameters.length > mostParameters)
      throw invalid(`the rows hold more values than the limit of ${mostParameters}. Insert fewer rows at once`);
    return `(${listed}) VALUES ${tuples.join(", ")}`;
  }

  /** One array for each column: the statement's text does not depend on the number of rows. */
  #arrays(columns: readonly TableColumn[], maps: readonly ReadonlyMap<string, string | null>[]): string {
    const own = (position: number) => identifier(`c${position}`);
    const arrays = columns.map(({ name }) => {
      const text = arrayText(maps.map((row) => row.get(name) ?? null));
      return this.place({ source: { kind: "constant", text }, type: "text[]", alone: true });
    });
    const casts = columns.map(({ type }, position) => `"v".${own(position)}::${inputType(type)}`);
    return `SELECT ${casts.join(", ")} FROM unnest(${arrays.join(", ")}) AS "v"(${columns.map((_column, position) => own(position)).join(", ")})`;
  }

  #conflict(update: Insert["target"]["update"], conflict: Insert["conflict"]): string {
    if (conflict === undefined) return "";
    const head = ` ON CONFLICT ON CONSTRAINT ${identifier(conflict.constraint)} DO`;
    if (conflict.columns.length === 0) return `${head} NOTHING`;
    const presets = update?.presets ?? [];
    const columns = new Map(conflict.columns.map(({ name }) => [name, `EXCLUDED.${identifier(name)}`]));
    for (const { column, parameter } of presets) columns.set(column.name, this.parameter(parameter));
    const set = [...columns].map(([name, value]) => `${identifier(name)} = ${value}`);
    return `${head} UPDATE SET ${set.join(", ")}${this.#where(conflict.where)}`;
  }

  update(target: Insert["target"], { changes, where }: Update): string {
    const set = changes.map(({ column, operator, value }) => {
      const printed = this.value(value, scope);
      const name = identifier(column.name);
      return `${name} = ${operator === undefined ? printed : operator.print(`${changed}.${name}`, printed)}`;
    });
    const checked = this.condition(target.update?.check ?? always, scope);
    return `UPDATE ${qualified(target.table.catalog)} AS ${changed} SET ${set.join(", ")}${this.#where(where)} ${returning(target.table, checked)}`;
  }

  delete({ table }: Insert["target"], where: Condition): string {
    return `DELETE FROM ${qualified(table.catalog)} AS ${changed}${this.#where(where)} ${returning(table, "TRUE")}`;
  }

  #where(where: Condition): string {
    return isAlways(where) ? "" : ` WHERE ${this.condition(where, scope)}`;
  }

  /** The change and its reply: the reply's JSON, and whether the permission's check holds. */
  changeAndShow(change: string, table: TrackedTable, output: Output): string {
    const own = `${identifier(rows)} AS (SELECT ${names(table).join(", ")} FROM ${result})`;
    return `WITH ${result} AS (${change}), ${own} SELECT ${this.#output(output, count(identifier(rows)))}, ${allChecked}`;
  }

  /** The change: the rows as an array, whether the check holds, their number, and columns of the row, if it is one. */
  changeAndKeep(change: string, table: TrackedTable, columns: readonly TableColumn[] = []): string {
    const row = `ROW(${names(table).join(", ")})::${qualified(table.catalog)}`;
    const texts = columns.map(({ name }) => `, (SELECT ${identifier(name)}::text FROM ${result} LIMIT 1)`).join("");
    const array = `(SELECT coalesce(array_agg(${row}), '{}')::text FROM ${result})`;
    return `WITH ${result} AS (${change}) SELECT ${array}, ${allChecked}, ${count(result)}${texts}`;
  }

  /** The reply about rows that were changed before. They may have changed again, as in Hasura. */
  show(table: TrackedTable, array: string, affected: number | undefined, output: Output): string {
    const type = `${qualified(table.catalog)}[]`;
    const given = this.place({ source: { kind: "constant", text: array }, type, alone: true });
    const own = `${identifier(rows)} AS (SELECT * FROM unnest(${given}))`;
    const number = affected === undefined ? count(identifier(rows)) : String(affected);
    return `WITH ${own} SELECT ${this.#output(output, number)}`;
  }

  #output(output: Output, affected: string): string {
    const nothing = scopeOf("NULL");
    if (output.kind === "row") return this.output({ kind: "row", query, fields: output.fields }, nothing);
    return objectOf(
      output.fields.map(({ key, value }) => {
        if (value.kind === "affected") return { key, expression: affected };
        if (value.kind === "constant") return { key, expression: `${literal(value.text)}::text` };
        return { key, expression: this.output({ kind: "rows", query, fields: value.fields }, nothing) };
      }),
    );
  }
}

/** A check without a result (NULL) counts as passed, as in Hasura. */
const allChecked = `coalesce((SELECT bool_and(${check}) FROM ${result}), TRUE)`;

function count(from: string): string {
  return `(SELECT count(*) FROM ${from})`;
}

function returning(table: TrackedTable, checked: string): string {
  const columns = names(table).map((name) => `${changed}.${name}`);
  return `RETURNING ${columns.join(", ")}, (${checked})::boolean AS ${check}`;
}
