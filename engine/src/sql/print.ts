import type { Spending } from "../cost/limits.ts";
import type { FunctionCall, NativeArgument, NativeQuery, Relationship } from "../model.ts";
import {
  type AggregateCondition,
  type Condition,
  type FunctionArgument,
  isAlways,
  type Operand,
  type Parameter,
  type Value,
} from "./expression.ts";
import { identifier, joined, listed, literal, nothing, place, qualified, sql, type Sql, trusted } from "./sql.ts";
import { typeSql } from "./operators.ts";
import type { QualifiedName } from "@routeql/metadata/read/shape";

/** Objects of the database whose rows a statement depends on. */
export interface Reads {
  /** By their texts in SQL. */
  readonly relations: ReadonlyMap<Sql, QualifiedName>;
  readonly functions: ReadonlyMap<Sql, QualifiedName>;
  /** Names of native queries, whose SQL is not analysed. */
  readonly nativeQueries: ReadonlySet<string>;
}

/** The row of unqualified columns, and the row at which the permission filter started. */
export interface Scope {
  readonly alias: Sql;
  readonly root: Sql;
}

export function scopeOf(alias: Sql): Scope {
  return { alias, root: alias };
}

/** Collects the parameters and aliases of one statement during printing. */
export class Printer {
  readonly parameters: Parameter[] = [];
  protected readonly spending: Spending;
  /** By the parameter's text and by the parameter itself: a long text is serialised only once. */
  readonly #positions = new Map<string | Parameter, number>();
  readonly #redactions = new Map<Condition, Map<string, Sql>>();
  #aliases = 0;
  readonly #reads = {
    relations: new Map<Sql, QualifiedName>(),
    functions: new Map<Sql, QualifiedName>(),
    nativeQueries: new Set<string>(),
  };

  constructor(spending: Spending) {
    this.spending = spending;
  }

  /** Of everything printed so far. */
  get reads(): Reads {
    return this.#reads;
  }

  /** Whether the printed statement calls functions of the metadata, or contains SQL of it. */
  get callsFunctions(): boolean {
    return this.#reads.functions.size > 0 || this.#reads.nativeQueries.size > 0;
  }

  protected relation({ schema, name }: QualifiedName): Sql {
    const text = qualified({ schema, name });
    this.#reads.relations.set(text, { schema, name });
    return text;
  }

  alias(): Sql {
    this.spending.relation();
    this.#aliases += 1;
    return identifier(`t${this.#aliases}`);
  }

  parameter(parameter: Parameter): Sql {
    this.spending.conditions(1);
    return this.place(parameter);
  }

  /** The same without its cost. */
  protected place(parameter: Parameter): Sql {
    const { source, type } = parameter;
    const ofItself =
      source.kind === "variable" || parameter.alone === true ? undefined : this.#positions.get(parameter);
    return sql`(${place(ofItself ?? this.#positionOf(parameter))}::${type})`;
  }

  /** Equal parameters share a position, except those whose value is known only at execution. */
  #positionOf(parameter: Parameter): number {
    const { source, type } = parameter;
    if (source.kind === "variable" || parameter.alone === true) return this.parameters.push(parameter);
    const key = JSON.stringify([source, type]);
    const position = this.#positions.get(key) ?? this.parameters.push(parameter);
    this.#positions.set(key, position);
    this.#positions.set(parameter, position);
    return position;
  }

  value(value: Value, scope: Scope): Sql {
    switch (value.kind) {
      case "parameter":
        return this.parameter(value.parameter);
      case "list":
        return sql`(ARRAY[${listed(value.items.map((item) => this.parameter(item)))}]::${value.type})`;
      case "arguments":
        return listed(value.items.map((item) => this.parameter(item)));
      default:
        return sql`${value.scope === "root" ? scope.root : scope.alias}.${identifier(value.column)}`;
    }
  }

  call(call: FunctionCall, given: readonly FunctionArgument[], row: Sql): Sql {
    const { schema, name } = call.function;
    const called = qualified({ schema, name });
    this.#reads.functions.set(called, { schema, name });
    const printed = given.map((argument) => {
      if (argument.kind === "row") return row;
      const text = this.parameter(argument.parameter);
      if (argument.name === undefined) return text;
      return sql`${identifier(argument.name)} => ${text}`;
    });
    return sql`${called}(${listed(printed)})`;
  }

  /** Rows of a native query. Each argument has one position, so that Postgres recognises equal values. */
  native(query: NativeQuery, given: ReadonlyMap<NativeArgument, Parameter>): Sql {
    this.#reads.nativeQueries.add(query.name);
    const places = new Map([...given].map(([argument, parameter]) => [argument, this.parameter(parameter)]));
    return nativeRows(query, (argument) => places.get(argument) ?? sql`NULL`);
  }

  operand(operand: Operand, scope: Scope): Sql {
    if (operand.kind === "text") return sql`(${this.operand(operand.operand, scope)})::text`;
    if (operand.kind === "cast") return sql`(${this.operand(operand.operand, scope)})::${operand.type}`;
    const plain =
      operand.kind === "column"
        ? sql`${scope.alias}.${identifier(operand.column.name)}`
        : this.call(operand.field.call, operand.arguments, scope.alias);
    return this.redacted(plain, operand.redaction, scope);
  }

  /** The expression in rows where the role may see it, else NULL. */
  redacted(expression: Sql, redaction: Condition | undefined, scope: Scope): Sql {
    if (redaction === undefined || isAlways(redaction)) return expression;
    return sql`(CASE WHEN ${this.#redaction(redaction, scope.alias)} THEN ${expression} END)`;
  }

  /** One text per row alias: Postgres considers cells in `DISTINCT ON` and `ORDER BY` equal only when the aliases inside are equal. */
  #redaction(redaction: Condition, alias: Sql): Sql {
    const known = this.#redactions.get(redaction) ?? new Map<string, Sql>();
    this.#redactions.set(redaction, known);
    const text = known.get(alias) ?? this.condition(redaction, scopeOf(alias));
    known.set(alias, text);
    return text;
  }

  condition(condition: Condition, scope: Scope): Sql {
    switch (condition.kind) {
      case "and":
        return this.#joined(condition.items, sql` AND `, sql`TRUE`, scope);
      case "or":
        return this.#joined(condition.items, sql` OR `, sql`FALSE`, scope);
      case "not":
        return sql`(NOT ${this.condition(condition.item, scope)})`;
      case "is-null":
        this.spending.conditions(1);
        return sql`(${this.operand(condition.operand, scope)} IS ${condition.negated ? sql`NOT ` : nothing}NULL)`;
      case "unknown":
        return sql`NULL::boolean`;
      case "compare":
        return this.#comparison(condition, scope);
      case "related": {
        const alias = this.alias();
        const inner = { alias, root: scope.root };
        const join = joinCondition(condition.relationship, scope.alias, alias);
        return sql`EXISTS (SELECT 1 FROM ${this.relation(condition.relationship.target.catalog)} AS ${alias} WHERE ${join}${this.#further(condition, inner)})`;
      }
      case "computed-rows": {
        const alias = this.alias();
        const rows = this.call(condition.field.call, condition.arguments, scope.alias);
        return sql`EXISTS (SELECT 1 FROM ${rows} AS ${alias} WHERE TRUE${this.#further(condition, { alias, root: scope.root })})`;
      }
      case "guarded":
        return sql`(CASE WHEN ${this.condition(condition.permission, scopeOf(scope.alias))} THEN ${this.condition(condition.item, scope)} END)`;
      case "unless-null":
        return sql`(${this.parameter(condition.parameter)} IS NULL OR ${this.condition(condition.item, scope)})`;
      case "exists": {
        const alias = this.alias();
        return sql`EXISTS (SELECT 1 FROM ${this.relation(condition.table.catalog)} AS ${alias} WHERE ${this.condition(condition.where, { alias, root: scope.root })})`;
      }
      default:
        return this.#aggregate(condition, scope);
    }
  }

  #joined(items: readonly Condition[], separator: Sql, neutral: Sql, scope: Scope): Sql {
    if (items.length === 0) return neutral;
    const printed = items.map((item) => this.condition(item, scope));
    return printed.length === 1 ? (printed[0] ?? neutral) : sql`(${joined(printed, separator)})`;
  }

  /** A related row's permission starts at that row; the filter keeps its own start. */
  #further({ permission, where }: { permission: Condition; where: Condition }, inner: Scope): Sql {
    const allowed = isAlways(permission) ? nothing : sql` AND ${this.condition(permission, scopeOf(inner.alias))}`;
    return isAlways(where) ? allowed : sql`${allowed} AND ${this.condition(where, inner)}`;
  }

  #comparison(condition: Condition & { kind: "compare" }, scope: Scope): Sql {
    return condition.operator.print(this.operand(condition.operand, scope), this.value(condition.value, scope));
  }

  #aggregate(condition: Condition & { kind: "aggregate" }, scope: Scope): Sql {
    const { relationship, permission, aggregate } = condition;
    const alias = this.alias();
    const inner = scopeOf(alias);
    const join = joinCondition(relationship, scope.alias, alias);
    const value = this.aggregateCall(aggregate, inner);
    const tests = aggregate.comparisons.map((comparison) =>
      "negated" in comparison
        ? sql`(${value} IS ${comparison.negated ? sql`NOT ` : nothing}NULL)`
        : comparison.operator.print(value, this.value(comparison.value, inner)),
    );
    // As in Hasura, a call that Postgres rejects fails without any comparison too.
    const having = tests.length === 0 ? sql`${value} IS NULL OR TRUE` : joined(tests, sql` AND `);
    return sql`EXISTS (SELECT 1 FROM ${this.relation(relationship.target.catalog)} AS ${alias} WHERE ${join}${this.#further({ permission, where: aggregate.filter }, inner)} HAVING ${having})`;
  }

  aggregateCall(aggregate: Pick<AggregateCondition, "function" | "columns">, scope: Scope, distinct = false): Sql {
    if (aggregate.columns === undefined) return sql`count(*)`;
    const columns = aggregate.columns.map((column) => this.operand(column, scope));
    return sql`${identifier(aggregate.function)}(${distinct ? sql`DISTINCT ` : nothing}${listed(columns)})`;
  }
}

/** As in Hasura, without columns all rows are related. */
export function joinCondition({ mapping }: Pick<Relationship, "mapping">, own: Sql, remote: Sql): Sql {
  if (mapping.length === 0) return sql`TRUE`;
  return joined(
    mapping.map(([from, to]) => sql`(${own}.${identifier(from.name)} = ${remote}.${identifier(to.name)})`),
    sql` AND `,
  );
}

/** A native query as an item of FROM, with a replacement for each argument. */
function nativeRows(
  { name, code }: Pick<NativeQuery, "name" | "code">,
  argument: (argument: NativeArgument) => Sql,
): Sql {
  const text = joined(
    code.map((piece) => (typeof piece === "string" ? trusted(piece) : argument(piece))),
    nothing,
  );
  // The code may end in a comment.
  return sql`(WITH ${identifier(name)} AS (${text}\n) SELECT * FROM ${identifier(name)})`;
}

/** Asks Postgres for a native query's column types without running it. Arguments are columns, so that nothing is evaluated early. */
export function columnTypesOf(
  query: Pick<NativeQuery, "name" | "code" | "arguments">,
  columns: readonly string[],
): Sql {
  const own = (position: number) => identifier(`_routeql_${position}`);
  const given = query.arguments.map(({ type }, position) => sql`NULL::${typeSql(type)} AS ${own(position)}`);
  const rows = nativeRows(query, (argument) => sql`"_routeql_given".${own(query.arguments.indexOf(argument))}`);
  const types = columns.map((column) => sql`pg_typeof("_routeql_rows".${identifier(column)})::oid`);
  return sql`WITH RECURSIVE "_routeql_types"("name", "type") AS (
  SELECT * FROM unnest(ARRAY[${listed(columns.map(literal))}]::text[], (SELECT ARRAY[${listed(types)}]::oid[]
    FROM (SELECT ${listed(given)} OFFSET 0) AS "_routeql_given" LEFT JOIN LATERAL (SELECT * FROM ${rows} AS "_routeql_query" LIMIT 0) AS "_routeql_rows" ON TRUE))
  UNION ALL
  SELECT "d"."name", "t".typbasetype FROM "_routeql_types" AS "d" JOIN pg_catalog.pg_type AS "t" ON "t".oid = "d"."type" WHERE "t".typtype = 'd'
)
SELECT coalesce(json_object_agg("r"."name", format_type("r"."type", -1)), '{}')::text
FROM "_routeql_types" AS "r" JOIN pg_catalog.pg_type AS "t" ON "t".oid = "r"."type" WHERE "t".typtype <> 'd'`;
}
