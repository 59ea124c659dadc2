import type {
  Relationship,
  ComputedField,
  FunctionCall,
  NativeArgument,
  NativeQuery,
  NativeRelationship,
  TrackedTable,
} from "../model.ts";
import { always, isAlways, type Condition, type FunctionArgument, type Operand, type Parameter } from "./expression.ts";
import { joinCondition, Printer, type Scope, scopeOf } from "./print.ts";
import { identifier, integer, joined, listed, literal, nothing, sql, type Sql } from "./sql.ts";

export type RowSource =
  | { readonly kind: "table"; readonly table: TrackedTable }
  | { readonly kind: "function"; readonly call: FunctionCall; readonly arguments: readonly FunctionArgument[] }
  /** Rows of a common table expression of the statement. */
  | { readonly kind: "named"; readonly name: string }
  | { readonly kind: "related"; readonly relationship: Relationship }
  /** Rows of a native query; with a relationship, only those related to the parent row. */
  | {
      readonly kind: "native";
      readonly query: NativeQuery;
      readonly arguments: ReadonlyMap<NativeArgument, Parameter>;
      readonly relationship: NativeRelationship | undefined;
    }
  /** Rows that a computed field returns for the parent row. */
  | { readonly kind: "computed"; readonly field: ComputedField; readonly arguments: readonly FunctionArgument[] };

export type OrderValue =
  | { readonly kind: "operand"; readonly operand: Operand }
  /** A value of the one related row, if the role may see it. */
  | {
      readonly kind: "related";
      readonly relationship: Relationship;
      readonly permission: Condition;
      readonly value: OrderValue;
    }
  | {
      readonly kind: "aggregate";
      readonly source: RowSource;
      readonly permission: Condition;
      readonly function: string;
      readonly operand: Operand | undefined;
    };

export interface OrderItem {
  readonly value: OrderValue;
  readonly descending: boolean;
  readonly nullsFirst: boolean;
}

export interface RowQuery {
  readonly source: RowSource;
  /** The role's filter. */
  readonly permission: Condition;
  readonly where: Condition;
  readonly distinctOn: readonly Operand[];
  readonly orderBy: readonly OrderItem[];
  /** Digits, or nothing. */
  readonly limit: string | undefined;
  readonly offset: string | undefined;
}

export interface OutputField {
  readonly key: string;
  readonly value: OutputValue;
}

/** JSON form of a scalar: Postgres' own, a string, in capitals, or GeoJSON. */
export type ScalarForm = "plain" | "text" | "capitals" | "geojson";

export type OutputValue =
  | {
      readonly kind: "scalar";
      readonly operand: Operand;
      readonly form: ScalarForm;
      readonly path: Parameter | undefined;
    }
  | { readonly kind: "constant"; readonly text: string }
  | { readonly kind: "row" | "rows"; readonly query: RowQuery; readonly fields: readonly OutputField[] }
  | { readonly kind: "aggregate"; readonly query: RowQuery; readonly fields: readonly AggregateField[] };

export interface AggregateField {
  readonly key: string;
  readonly value:
    | { readonly kind: "constant"; readonly text: string }
    | { readonly kind: "aggregates"; readonly fields: readonly AggregateValue[] }
    | { readonly kind: "nodes"; readonly query: RowQuery; readonly fields: readonly OutputField[] };
}

export interface AggregateValue {
  readonly key: string;
  readonly value:
    | { readonly kind: "constant"; readonly text: string }
    | { readonly kind: "count"; readonly columns: readonly Operand[] | undefined; readonly distinct: boolean }
    | {
        readonly kind: "columns";
        readonly columns: readonly { readonly key: string; readonly value: AggregateColumn }[];
      };
}

export type AggregateColumn =
  | { readonly kind: "constant"; readonly text: string }
  | { readonly kind: "function"; readonly function: string; readonly operand: Operand; readonly form: ScalarForm };

/** The scope of a root: no row. */
export const outside = scopeOf(sql`NULL`);

const longestIdentifier = 63;

export interface Entry {
  readonly key: string;
  readonly expression: Sql;
}

/** Prints selections as one SQL expression with a JSON result. */
export class SelectPrinter extends Printer {
  /** A whole statement with one JSON column; no row means null. @throws EngineError above a cost limit, as the other methods do */
  statement(value: OutputValue): Sql {
    if (value.kind === "rows") return sql`SELECT ${this.#rowsJson(value.fields, value.query, outside)}`;
    if (value.kind === "row") return sql`SELECT ${this.#rowJson(value.fields, value.query, outside)}`;
    return sql`SELECT ${this.output(value, outside)}`;
  }

  columns(values: readonly OutputValue[]): Sql {
    const [only] = values;
    if (values.length === 1 && only !== undefined) return this.statement(only);
    return sql`SELECT ${listed(values.map((value) => this.output(value, outside)))}`;
  }

  /** Rows after a cursor, and the cursor's value in the last of them as text. As in Hasura, types without `max` fail. */
  stream(query: RowQuery, fields: readonly OutputField[], cursor: Operand, descending: boolean): Sql {
    const alias = this.alias();
    const base = sql`(SELECT ${alias}.* ${this.#source(query.source, alias, outside)}${this.#tail(query, alias, outside)}) AS ${alias}`;
    const scope = scopeOf(alias);
    const entries = fields.map(({ key, value }) => ({ key, expression: this.output(value, scope) }));
    const row = sql`(SELECT ${asObject(entries, undefined)}) AS "row", (${this.operand(cursor, scope)}) AS "place"`;
    return sql`SELECT coalesce(json_agg("r"."row"), '[]'), (${descending ? sql`min` : sql`max`}("r"."place"))::text FROM (SELECT ${row} FROM ${base}) AS "r"`;
  }

  /** @param above the parent row of the value */
  output(value: OutputValue, above: Scope): Sql {
    switch (value.kind) {
      case "constant":
        return sql`${literal(value.text)}::text`;
      case "scalar":
        return this.#scalar(value, above);
      case "row":
        return sql`(SELECT ${this.#rowJson(value.fields, value.query, above)})`;
      case "rows":
        return sql`(SELECT ${this.#rowsJson(value.fields, value.query, above)})`;
      default:
        return this.#aggregate(value.query, value.fields, above);
    }
  }

  #scalar(value: OutputValue & { kind: "scalar" }, scope: Scope): Sql {
    const plain = this.operand(value.operand, scope);
    return inForm(value.path === undefined ? plain : sql`(${plain} #> ${this.parameter(value.path)})`, value.form);
  }

  #rowJson(fields: readonly OutputField[], query: RowQuery, above: Scope): Sql {
    const { entries, from } = this.#projection(fields, { ...query, limit: query.limit ?? "1" }, above);
    return asObject(entries, from);
  }

  #rowsJson(fields: readonly OutputField[], query: RowQuery, above: Scope): Sql {
    const { entries, from } = this.#projection(fields, query, above);
    return asArray(entries, from);
  }

  /** Columns come directly from the table; more expensive values are computed over the rows left after filter, order and limit. */
  #projection(fields: readonly OutputField[], query: RowQuery, above: Scope): { entries: readonly Entry[]; from: Sql } {
    const alias = this.alias();
    const cheap = fields.every(
      ({ value }) => value.kind === "constant" || (value.kind === "scalar" && isPlainColumn(value.operand)),
    );
    const scope = scopeOf(alias);
    const tail = this.#tail(query, alias, above);
    const distinct = this.#distinct(query, scope);
    const source = this.#source(query.source, alias, above);
    if (cheap) {
      const entries = fields.map(({ key, value }) => ({ key, expression: this.output(value, scope) }));
      const list = (columns: Sql) => sql`SELECT ${distinct}${columns} ${source}${tail}`;
      if (fits(entries))
        return { entries: [{ key: "", expression: nothing }], from: sql`(${list(columnsOf(entries))})` };
      return { entries, from: sql`(${list(sql`${alias}.*`)}) AS ${alias}` };
    }
    const base = sql`(SELECT ${distinct}${alias}.* ${source}${tail}) AS ${alias}`;
    return { entries: fields.map(({ key, value }) => ({ key, expression: this.output(value, scope) })), from: base };
  }

  #source(source: RowSource, alias: Sql, above: Scope): Sql {
    switch (source.kind) {
      case "table":
        return sql`FROM ${this.relation(source.table.catalog)} AS ${alias}`;
      case "named":
        return sql`FROM ${identifier(source.name)} AS ${alias}`;
      case "related":
        return sql`FROM ${this.relation(source.relationship.target.catalog)} AS ${alias}`;
      case "function":
        return sql`FROM ${this.call(source.call, source.arguments, sql`NULL`)} AS ${alias}`;
      case "native":
        return sql`FROM ${this.native(source.query, source.arguments)} AS ${alias}`;
      default:
        return sql`FROM ${this.call(source.field.call, source.arguments, above.alias)} AS ${alias}`;
    }
  }

  #where(query: Pick<RowQuery, "source" | "permission" | "where">, alias: Sql, above: Scope): Sql {
    const scope = scopeOf(alias);
    const conditions: Sql[] = [];
    if ("relationship" in query.source && query.source.relationship !== undefined)
      conditions.push(joinCondition(query.source.relationship, above.alias, alias));
    for (const condition of [query.permission, query.where])
      if (!isAlways(condition)) conditions.push(this.condition(condition, scope));
    return conditions.length === 0 ? nothing : sql` WHERE ${joined(conditions, sql` AND `)}`;
  }

  #distinct({ distinctOn }: RowQuery, scope: Scope): Sql {
    return distinctOn.length === 0
      ? nothing
      : sql`DISTINCT ON (${listed(distinctOn.map((operand) => this.operand(operand, scope)))}) `;
  }

  #tail(query: RowQuery, alias: Sql, above: Scope): Sql {
    const scope = scopeOf(alias);
    const order = query.orderBy.map(
      ({ value, descending, nullsFirst }) =>
        sql`${this.#orderValue(value, scope)} ${descending ? sql`DESC` : sql`ASC`} NULLS ${nullsFirst ? sql`FIRST` : sql`LAST`}`,
    );
    const parts = [
      this.#where(query, alias, above),
      order.length === 0 ? nothing : sql` ORDER BY ${listed(order)}`,
      query.limit === undefined ? nothing : sql` LIMIT ${integer(query.limit)}`,
      query.offset === undefined ? nothing : sql` OFFSET ${integer(query.offset)}`,
    ];
    return joined(parts, nothing);
  }

  #orderValue(value: OrderValue, scope: Scope): Sql {
    this.spending.conditions(1);
    if (value.kind === "operand") return this.operand(value.operand, scope);
    const alias = this.alias();
    const inner = scopeOf(alias);
    if (value.kind === "related") {
      const source: RowSource = { kind: "related", relationship: value.relationship };
      const where = this.#where({ source, permission: value.permission, where: always }, alias, scope);
      return sql`(SELECT ${this.#orderValue(value.value, inner)} ${this.#source(source, alias, scope)}${where} LIMIT 1)`;
    }
    const call = this.aggregateCall({ function: value.function, columns: value.operand && [value.operand] }, inner);
    const where = this.#where({ source: value.source, permission: value.permission, where: always }, alias, scope);
    return sql`(SELECT ${call} ${this.#source(value.source, alias, scope)}${where})`;
  }

  #aggregate(query: RowQuery, fields: readonly AggregateField[], above: Scope): Sql {
    const computed: Entry[] = [];
    const base = this.alias();
    const totals = this.alias();
    const scope = scopeOf(base);
    const column = (expression: Sql) => {
      const name = `a${computed.length}`;
      computed.push({ key: name, expression });
      return sql`${totals}.${identifier(name)}`;
    };
    const entries = fields.map(({ key, value }): Entry => {
      if (value.kind === "constant") return { key, expression: this.output(value, above) };
      if (value.kind === "nodes")
        return { key, expression: sql`(SELECT ${this.#rowsJson(value.fields, value.query, above)})` };
      return { key, expression: objectOf(value.fields.map((field) => this.#aggregateEntry(field, scope, column))) };
    });
    const showsNodes = fields.some(({ value }) => value.kind === "nodes");
    if (computed.length === 0 && showsNodes) return objectOf(entries);
    // Without any aggregation, Hasura's statement needs exactly one row.
    const needsOneRow =
      computed.length === 0 && above.alias === outside.alias && !fields.some(({ value }) => value.kind === "constant");
    if (computed.length === 0) column(sql`count(*)`);
    const plain =
      query.limit === undefined &&
      query.offset === undefined &&
      query.distinctOn.length === 0 &&
      !query.orderBy.some(({ value }) => lacksOrder(value));
    const rows = plain
      ? sql`${this.#source(query.source, base, above)}${this.#where(query, base, above)}`
      : sql`FROM (SELECT ${this.#distinct(query, scope)}${base}.* ${this.#source(query.source, base, above)}${this.#tail(query, base, above)}) AS ${base}`;
    const from = sql`(SELECT ${columnsOf(computed)} ${rows}) AS ${totals}`;
    if (!needsOneRow) return sql`(SELECT ${asObject(entries, from)})`;
    const failing = sql`(SELECT '{}'::json FROM generate_series(1, 2))`;
    return sql`(SELECT CASE ${totals}."a0" WHEN 1 THEN ${objectOf(entries)} ELSE ${failing} END FROM ${from})`;
  }

  /** Several columns count combinations, as a row value. As in Hasura, Postgres rejects a count over none, and one in a condition over several. */
  #count({ columns, distinct }: AggregateValue["value"] & { kind: "count" }, scope: Scope): Sql {
    if (columns === undefined || columns.length === 1)
      return this.aggregateCall({ function: "count", columns }, scope, distinct);
    const operands = columns.map((operand) => this.operand(operand, scope));
    return sql`count(${distinct ? sql`DISTINCT ` : nothing}(${listed(operands)}))`;
  }

  #aggregateEntry({ key, value }: AggregateValue, scope: Scope, column: (expression: Sql) => Sql): Entry {
    if (value.kind === "constant") return { key, expression: sql`${literal(value.text)}::text` };
    if (value.kind === "count") return { key, expression: column(this.#count(value, scope)) };
    const columns = value.columns.map(({ key: name, value: given }): Entry => {
      if (given.kind === "constant") return { key: name, expression: sql`${literal(given.text)}::text` };
      const call = this.aggregateCall({ function: given.function, columns: [given.operand] }, scope);
      return { key: name, expression: inForm(column(call), given.form) };
    });
    return { key, expression: objectOf(columns) };
  }
}

const withoutOrder: ReadonlySet<string> = new Set("json xml point line lseg box path polygon circle".split(" "));

/** Whether Postgres rejects an order by the value, as it has to even where the order makes no difference. */
function lacksOrder(value: OrderValue): boolean {
  if (value.kind === "related") return lacksOrder(value.value);
  return (
    value.kind === "operand" && value.operand.kind === "column" && withoutOrder.has(value.operand.column.type.name)
  );
}

function isPlainColumn(operand: Operand): boolean {
  return operand.kind === "column" && operand.redaction === undefined;
}

function inForm(expression: Sql, form: ScalarForm): Sql {
  if (form === "text") return sql`(${expression})::text`;
  if (form === "capitals") return sql`upper(${expression})`;
  return form === "geojson" ? sql`ST_AsGeoJSON(${expression}, 15, 4)::json` : expression;
}

/** False for names that Postgres would truncate, and for empty rows, which have no columns to name. */
function fits(entries: readonly Entry[]): boolean {
  return (
    entries.length > 0 &&
    entries.every(({ key }) => key.length <= longestIdentifier && Buffer.byteLength(key) <= longestIdentifier)
  );
}

function columnsOf(entries: readonly Entry[]): Sql {
  return listed(entries.map(({ key, expression }) => sql`${expression} AS ${identifier(key)}`));
}

/** A single unnamed entry represents a subquery that already has the columns. */
function isWhole(entries: readonly Entry[]): boolean {
  return entries.length === 1 && entries[0]?.expression === nothing;
}

function longObject(entries: readonly Entry[]): Sql {
  if (entries.length === 0) return sql`'{}'::json`;
  const pairs = entries.map(({ key, expression }) => sql`(${literal(key)}, to_json(${expression}))`);
  return sql`(SELECT json_object_agg("p"."k", "p"."v") FROM (VALUES ${listed(pairs)}) AS "p"("k", "v"))`;
}

function asObject(entries: readonly Entry[], from: Sql | undefined): Sql {
  if (isWhole(entries)) return sql`row_to_json("r".*) FROM ${from ?? nothing} AS "r"`;
  const source = from === undefined ? nothing : sql` FROM ${from}`;
  return fits(entries)
    ? sql`row_to_json("r".*) FROM (SELECT ${columnsOf(entries)}${source}) AS "r"`
    : sql`${longObject(entries)}${source}`;
}

export function objectOf(entries: readonly Entry[]): Sql {
  return sql`(SELECT ${asObject(entries, undefined)})`;
}

function asArray(entries: readonly Entry[], from: Sql): Sql {
  if (isWhole(entries)) return sql`coalesce(json_agg("r".*), '[]') FROM ${from} AS "r"`;
  return fits(entries)
    ? sql`coalesce(json_agg("r".*), '[]') FROM (SELECT ${columnsOf(entries)} FROM ${from}) AS "r"`
    : sql`coalesce(json_agg(${longObject(entries)}), '[]') FROM ${from}`;
}
