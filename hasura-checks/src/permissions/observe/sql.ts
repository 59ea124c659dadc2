import type { DeclaredAccess, DeclaredPermission, DeclaredTable, Filter } from "../../declared/declared.ts";
import { sessionVariable } from "@routeql/metadata/filter-names";
import { filterSql, identifier, quoted } from "../../declared/filter-text.ts";
import { fieldOf, orderColumns, valueColumns } from "./documents.ts";
import type { Variables } from "./served.ts";

export class MissingVariable extends Error {
  readonly variable: string;

  constructor(variable: string) {
    super(`missing session variable ${variable}`);
    this.variable = variable;
  }
}

/** A session variable contains a character that Postgres cannot store. */
export class UnstorableText extends Error {}

const nul = String.fromCodePoint(0);

/** SQL for a role and a session, written from the declaration without the engine. */
export class Sql {
  readonly #access: Pick<DeclaredAccess, "tables">;
  readonly #role: string;
  readonly #variables: Variables;

  constructor(access: Pick<DeclaredAccess, "tables">, role: string, variables: Variables) {
    this.#access = access;
    this.#role = role;
    this.#variables = variables;
  }

  /** @throws MissingVariable */
  readonly #session = (name: string): string => {
    const value = name === "x-hasura-role" ? this.#role : this.#variables[name];
    if (value === undefined) throw new MissingVariable(name);
    if (value.includes(nul)) throw new UnstorableText("no text of Postgres holds a null byte");
    return quoted(value.toWellFormed());
  };

  filter({ table, filter }: DeclaredPermission, alias: string): string {
    return this.condition(table, filter, alias);
  }

  condition(table: string, filter: Filter, alias: string): string {
    return filterSql(this.#access, table, filter, alias, this.#session);
  }

  preset(value: unknown): string {
    const name = sessionVariable(value);
    if (name !== undefined) return this.#session(name);
    return value === null ? "null" : quoted(typeof value === "string" ? value : JSON.stringify(value));
  }

  from(table: DeclaredTable, alias: string): string {
    return `${identifier(table.schema)}.${identifier(table.name)} ${alias}`;
  }

  /** A column's value, null in rows where an inherited role may not read it. */
  column(permission: DeclaredPermission, column: string, alias: string): string {
    const plain = `${alias}.${identifier(column)}`;
    const cell = permission.cells.get(column);
    return cell === undefined
      ? plain
      : `case when ${filterSql(this.#access, permission.table, cell, alias, this.#session)} then ${plain} end`;
  }

  /** Visible values under their GraphQL names. */
  values(table: DeclaredTable, permission: DeclaredPermission, alias: string): string {
    const value = (column: string) =>
      table.enums.get(column) === true
        ? `upper(${this.column(permission, column, alias)})`
        : this.column(permission, column, alias);
    const columns = valueColumns(table, permission).map((column) => `${value(column)} as "${fieldOf(table, column)}"`);
    return columns.length === 0 ? "1 as nothing" : columns.join(", ");
  }

  order(table: DeclaredTable, permission: DeclaredPermission, alias: string): string {
    const columns = orderColumns(table, permission).map((column) => this.column(permission, column, alias));
    return columns.length === 0 ? "" : ` order by ${columns.join(", ")}`;
  }

  /** Number of visible rows, with the largest and smallest visible values, as JSON text: `{count, max0, min0, …}`. @param from item of FROM, as `it` */
  aggregate(permission: DeclaredPermission, columns: readonly string[], from: string): string {
    const extremes = columns.flatMap((column, index) =>
      ["max", "min"].map((name) => `, ${name}(${this.column(permission, column, "it")}) as ${name}${index}`),
    );
    return `select to_json(r)::text from (select count(*) as count${extremes.join("")} from ${from} where ${this.filter(permission, "it")}) r`;
  }

  /** The first visible rows that meet a further condition, as JSON texts. @param from item of FROM, as `it` */
  rows(table: DeclaredTable, permission: DeclaredPermission, most: number, from: string, further: string): string {
    return `select to_json(r)::text from (select ${this.values(table, permission, "it")} from ${from} where (${this.filter(permission, "it")}) and (${further})${this.order(table, permission, "it")} limit ${most}) r`;
  }
}
