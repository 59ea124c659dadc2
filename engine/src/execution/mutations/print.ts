import { invalid } from "../../errors.ts";
import type { TableColumn, TrackedTable } from "../../model.ts";
import { arrayText } from "../../schema/values.ts";
import { always, type Condition, isAlways } from "../../sql/expression.ts";
import { inputType } from "../../sql/operators.ts";
import { scopeOf } from "../../sql/print.ts";
import { identifier, integer, joined, listed, literal, nothing, qualified, sql, type Sql } from "../../sql/sql.ts";
import { objectOf, outside, type RowQuery, SelectPrinter } from "../../sql/select.ts";
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

function columnsOf({ columns }: TrackedTable, all: readonly TextRow[]): readonly TableColumn[] {
  return [...columns.values()].filter(({ name }) =>
    all.some((row) => [...row.keys()].some((own) => own.name === name)),
  );
}

const names = ({ catalog }: TrackedTable): readonly Sql[] => [...catalog.columns.keys()].map(identifier);

export class WritePrinter extends SelectPrinter {
  insert({ target, permission, conflict }: Insert, all: readonly TextRow[]): Sql {
    const columns = columnsOf(target.table, all);
    const head = sql`INSERT INTO ${qualified(target.table.catalog)} AS ${changed}`;
    const inserted = this.condition(permission.check, scope);
    const { update } = target;
    const checked =
      conflict === undefined || update?.check === undefined
        ? inserted
        : sql`CASE WHEN ${changed}.xmax = 0 THEN ${inserted} ELSE ${this.condition(update.check, scope)} END`;
    return sql`${head} ${this.#values(target.table, columns, all)}${this.#conflict(target.update, conflict)} ${returning(target.table, checked)}`;
  }

  #values(table: TrackedTable, columns: readonly TableColumn[], all: readonly TextRow[]): Sql {
    const [first] = names(table);
    if (columns.length === 0) return sql`(${first ?? nothing}) VALUES ${listed(all.map(() => sql`(DEFAULT)`))}`;
    const written = listed(columns.map(({ name }) => identifier(name)));
    const maps = all.map((row) => new Map([...row].map(([{ name }, text]) => [name, text])));
    if (all.length > 1 && maps.every(({ size }) => size === columns.length))
      return sql`(${written}) ${this.#arrays(columns, maps)}`;
    const tuples = maps.map((row) => {
      const cells = columns.map(({ name, type }) => {
        const text = row.get(name);
        return text === undefined
          ? sql`DEFAULT`
          : this.place({ source: { kind: "constant", text }, type: inputType(type), alone: true });
      });
      return sql`(${listed(cells)})`;
    });
    if (this.parameters.length > mostParameters)
      throw invalid(`the rows hold more values than the limit of ${mostParameters}. Insert fewer rows at once`);
    return sql`(${written}) VALUES ${listed(tuples)}`;
  }

  /** One array for each column: the statement's text does not depend on the number of rows. */
  #arrays(columns: readonly TableColumn[], maps: readonly ReadonlyMap<string, string | null>[]): Sql {
    const own = (position: number) => identifier(`c${position}`);
    const arrays = columns.map(({ name }) => {
      const text = arrayText(maps.map((row) => row.get(name) ?? null));
      return this.place({ source: { kind: "constant", text }, type: sql`text[]`, alone: true });
    });
    const casts = columns.map(({ type }, position) => sql`"v".${own(position)}::${inputType(type)}`);
    return sql`SELECT ${listed(casts)} FROM unnest(${listed(arrays)}) AS "v"(${listed(columns.map((_column, position) => own(position)))})`;
  }

  #conflict(update: Insert["target"]["update"], conflict: Insert["conflict"]): Sql {
    if (conflict === undefined) return nothing;
    const head = sql` ON CONFLICT ON CONSTRAINT ${identifier(conflict.constraint)} DO`;
    if (conflict.columns.length === 0) return sql`${head} NOTHING`;
    const presets = update?.presets ?? [];
    const columns = new Map(conflict.columns.map(({ name }) => [name, sql`EXCLUDED.${identifier(name)}`]));
    for (const { column, parameter } of presets) columns.set(column.name, this.parameter(parameter));
    const set = [...columns].map(([name, value]) => sql`${identifier(name)} = ${value}`);
    return sql`${head} UPDATE SET ${listed(set)}${this.#where(conflict.where)}`;
  }

  update(target: Insert["target"], { changes, where }: Update): Sql {
    const set = changes.map(({ column, operator, value }) => {
      const printed = this.value(value, scope);
      const name = identifier(column.name);
      return sql`${name} = ${operator === undefined ? printed : operator.print(sql`${changed}.${name}`, printed)}`;
    });
    const checked = this.condition(target.update?.check ?? always, scope);
    return sql`UPDATE ${qualified(target.table.catalog)} AS ${changed} SET ${listed(set)}${this.#where(where)} ${returning(target.table, checked)}`;
  }

  delete({ table }: Insert["target"], where: Condition): Sql {
    return sql`DELETE FROM ${qualified(table.catalog)} AS ${changed}${this.#where(where)} ${returning(table, sql`TRUE`)}`;
  }

  #where(where: Condition): Sql {
    return isAlways(where) ? nothing : sql` WHERE ${this.condition(where, scope)}`;
  }

  /** The change and its reply: the reply's JSON, and whether the permission's check holds. */
  changeAndShow(change: Sql, table: TrackedTable, output: Output): Sql {
    const own = sql`${identifier(rows)} AS (SELECT ${listed(names(table))} FROM ${result})`;
    return sql`WITH ${result} AS (${change}), ${own} SELECT ${this.#output(output, count(identifier(rows)))}, ${allChecked}`;
  }

  /** The change: the rows as an array, whether the check holds, their number, and columns of the row, if it is one. */
  changeAndKeep(change: Sql, table: TrackedTable, columns: readonly TableColumn[] = []): Sql {
    const row = sql`ROW(${listed(names(table))})::${qualified(table.catalog)}`;
    const texts = columns.map(({ name }) => sql`, (SELECT ${identifier(name)}::text FROM ${result} LIMIT 1)`);
    const array = sql`(SELECT coalesce(array_agg(${row}), '{}')::text FROM ${result})`;
    return sql`WITH ${result} AS (${change}) SELECT ${array}, ${allChecked}, ${count(result)}${joined(texts, nothing)}`;
  }

  /** The reply about rows that were changed before. They may have changed again, as in Hasura. */
  show(table: TrackedTable, array: string, affected: number | undefined, output: Output): Sql {
    const type = sql`${qualified(table.catalog)}[]`;
    const given = this.place({ source: { kind: "constant", text: array }, type, alone: true });
    const own = sql`${identifier(rows)} AS (SELECT * FROM unnest(${given}))`;
    const number = affected === undefined ? count(identifier(rows)) : integer(String(affected));
    return sql`WITH ${own} SELECT ${this.#output(output, number)}`;
  }

  #output(output: Output, affected: Sql): Sql {
    if (output.kind === "row") return this.output({ kind: "row", query, fields: output.fields }, outside);
    return objectOf(
      output.fields.map(({ key, value }) => {
        if (value.kind === "affected") return { key, expression: affected };
        if (value.kind === "constant") return { key, expression: sql`${literal(value.text)}::text` };
        return { key, expression: this.output({ kind: "rows", query, fields: value.fields }, outside) };
      }),
    );
  }
}

/** A check without a result (NULL) counts as passed, as in Hasura. */
const allChecked = sql`coalesce((SELECT bool_and(${check}) FROM ${result}), TRUE)`;

function count(from: Sql): Sql {
  return sql`(SELECT count(*) FROM ${from})`;
}

function returning(table: TrackedTable, checked: Sql): Sql {
  const columns = names(table).map((name) => sql`${changed}.${name}`);
  return sql`RETURNING ${listed(columns)}, (${checked})::boolean AS ${check}`;
}
