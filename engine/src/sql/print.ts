import type { QualifiedName } from "@routeql/metadata/read/shape";
import type { Spending } from "../cost/limits.ts";
import type { FunctionCall, NativeArgument, NativeQuery, Relationship } from "../schema/model.ts";
import {
  type AggregateCondition,
  type Condition,
  type FunctionArgument,
  isAlways,
  type Operand,
  type Parameter,
  type Value,
} from "./expression.ts";

/** Encloses a parameter's position until the statement's final text; no identifier or constant contains it. */
const mark = "\u0001";

/** Quotes an identifier. */
export function identifier(name: string): string {
  return `"${name.replaceAll(mark, "").replaceAll('"', '""')}"`;
}

/** A string constant of the engine itself (names of types and keys); values of requests are always parameters. */
export function literal(text: string): string {
  return `'${text.replaceAll(mark, "").replaceAll("'", "''")}'`;
}

export function qualified({ schema, name }: QualifiedName): string {
  return `${identifier(schema)}.${identifier(name)}`;
}

/** Final text of a statement; by default parameters are `$1`, `$2`, … */
export function finalText(
  template: string,
  parameter: (position: number) => string = (position) => `$${position}`,
): string {
  return template
    .split(mark)
    .map((part, index) => (index % 2 === 0 ? part : parameter(Number(part))))
    .join("");
}

/** The row of unqualified columns, and the row at which the permission filter started. */
export interface Scope {
  readonly alias: string;
  readonly root: string;
}

export function scopeOf(alias: string): Scope {
  return { alias, root: alias };
}

/** Collects the parameters and aliases of one statement during printing. */
export class Printer {
  readonly parameters: Parameter[] = [];
  protected readonly spending: Spending;
  /** By the parameter's text and by the parameter itself: a long text is serialised only once. */
  readonly #positions = new Map<string | Parameter, number>();
  readonly #redactions = new Map<Condition, Map<string, string>>();
  #aliases = 0;
  #callsFunctions = false;

  constructor(spending: Spending) {
    this.spending = spending;
  }

  /** Whether the printed statement calls functions of the metadata. */
  get callsFunctions(): boolean {
    return this.#callsFunctions;
  }

  /** A new alias for a table, subquery or function. */
  alias(): string {
    this.spending.relation();
    this.#aliases += 1;
    return identifier(`t${this.#aliases}`);
  }

  parameter(parameter: Parameter): string {
    this.spending.conditions(1);
    return this.place(parameter);
  }

  /** The same without its cost. */
  protected place(parameter: Parameter): string {
    const { source, type } = parameter;
    const ofItself =
      source.kind === "variable" || parameter.alone === true ? undefined : this.#positions.get(parameter);
    return `(${mark}${ofItself ?? this.#positionOf(parameter)}${mark}::${type})`;
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

  value(value: Value, scope: Scope): string {
    switch (value.kind) {
      case "parameter":
        return this.parameter(value.parameter);
      case "list":
        return `(ARRAY[${value.items.map((item) => this.parameter(item)).join(", ")}]::${value.type})`;
      case "arguments":
        return value.items.map((item) => this.parameter(item)).join(", ");
      default:
        return `${value.scope === "root" ? scope.root : scope.alias}.${identifier(value.column)}`;
    }
  }

  call(call: FunctionCall, given: readonly FunctionArgument[], row: string): string {
    this.#callsFunctions = true;
    const printed = given.map((argument) => {
      if (argument.kind === "row") return row;
      const text = this.parameter(argument.parameter);
      if (argument.name === undefined) return text;
      return `${identifier(argument.name)} => ${text}`;
    });
    return `${qualified(call.function)}(${printed.join(", ")})`;
  }

  /** Rows of a native query. Each argument has one position, so that Postgres recognises equal values. */
  native(query: NativeQuery, given: ReadonlyMap<NativeArgument, Parameter>): string {
    this.#callsFunctions = true; // its code also comes from the metadata
    const places = new Map([...given].map(([argument, parameter]) => [argument, this.parameter(parameter)]));
    return nativeRows(query, (argument) => places.get(argument) ?? "NULL");
  }

  operand(operand: Operand, scope: Scope): string {
    if (operand.kind === "text") return `(${this.operand(operand.operand, scope)})::text`;
    if (operand.kind === "cast") return `(${this.operand(operand.operand, scope)})::${operand.type}`;
    const plain =
      operand.kind === "column"
        ? `${scope.alias}.${identifier(operand.column.name)}`
        : this.call(operand.field.call, operand.arguments, scope.alias);
    return this.redacted(plain, operand.redaction, scope);
  }

  /** The expression in rows where the role may see it, else NULL. */
  redacted(expression: string, redaction: Condition | undefined, scope: Scope): string {
    if (redaction === undefined || isAlways(redaction)) return expression;
    return `(CASE WHEN ${this.#redaction(redaction, scope.alias)} THEN ${expression} END)`;
  }

  /** One text per row alias: Postgres considers cells in `DISTINCT ON` and `ORDER BY` equal only when the aliases inside are equal. */
  #redaction(redaction: Condition, alias: string): string {
    const known = this.#redactions.get(redaction) ?? new Map<string, string>();
    this.#redactions.set(redaction, known);
    const text = known.get(alias) ?? this.condition(redaction, scopeOf(alias));
    known.set(alias, text);
    return text;
  }

  condition(condition: Condition, scope: Scope): string {
    switch (condition.kind) {
      case "and":
        return this.#joined(condition.items, " AND ", "TRUE", scope);
      case "or":
        return this.#joined(condition.items, " OR ", "FALSE", scope);
      case "not":
        return `(NOT ${this.condition(condition.item, scope)})`;
      case "is-null":
        this.spending.conditions(1);
        return `(${this.operand(condition.operand, scope)} IS ${condition.negated ? "NOT " : ""}NULL)`;
      case "compare":
        return this.#comparison(condition, scope);
      case "related": {
        const alias = this.alias();
        const inner = { alias, root: scope.root };
        const joined = joinCondition(condition.relationship, scope.alias, alias);
        return `EXISTS (SELECT 1 FROM ${qualified(condition.relationship.target.catalog)} AS ${alias} WHERE ${joined}${this.#further(condition, inner)})`;
      }
      case "computed-rows": {
        const alias = this.alias();
        const rows = this.call(condition.field.call, condition.arguments, scope.alias);
        return `EXISTS (SELECT 1 FROM ${rows} AS ${alias} WHERE TRUE${this.#further(condition, { alias, root: scope.root })})`;
      }
      case "guarded":
        return `(CASE WHEN ${this.condition(condition.permission, scopeOf(scope.alias))} THEN ${this.condition(condition.item, scope)} END)`;
      case "unless-null":
        return `(${this.parameter(condition.parameter)} IS NULL OR ${this.condition(condition.item, scope)})`;
      case "exists": {
        const alias = this.alias();
        return `EXISTS (SELECT 1 FROM ${qualified(condition.table.catalog)} AS ${alias} WHERE ${this.condition(condition.where, { alias, root: scope.root })})`;
      }
      default:
        return this.#aggregate(condition, scope);
    }
  }

  #joined(items: readonly Condition[], separator: string, neutral: string, scope: Scope): string {
    if (items.length === 0) return neutral;
    const printed = items.map((item) => this.condition(item, scope));
    return printed.length === 1 ? (printed[0] ?? neutral) : `(${printed.join(separator)})`;
  }

  /** A related row's permission starts at that row; the filter keeps its own start. */
  #further({ permission, where }: { permission: Condition; where: Condition }, inner: Scope): string {
    const allowed = isAlways(permission) ? "" : ` AND ${this.condition(permission, scopeOf(inner.alias))}`;
    return allowed + (isAlways(where) ? "" : ` AND ${this.condition(where, inner)}`);
  }

  #comparison(condition: Condition & { kind: "compare" }, scope: Scope): string {
    return condition.operator.print(this.operand(condition.operand, scope), this.value(condition.value, scope));
  }

  #aggregate(condition: Condition & { kind: "aggregate" }, scope: Scope): string {
    const { relationship, permission, aggregate } = condition;
    const alias = this.alias();
    const inner = scopeOf(alias);
    const joined = joinCondition(relationship, scope.alias, alias);
    const value = this.aggregateCall(aggregate, inner);
    const tests = aggregate.comparisons.map((comparison) =>
      "negated" in comparison
        ? `(${value} IS ${comparison.negated ? "NOT " : ""}NULL)`
        : comparison.operator.print(value, this.value(comparison.value, inner)),
    );
    // As in Hasura, a call that Postgres rejects fails without any comparison too.
    const having = tests.length === 0 ? `${value} IS NULL OR TRUE` : tests.join(" AND ");
    return `EXISTS (SELECT 1 FROM ${qualified(relationship.target.catalog)} AS ${alias} WHERE ${joined}${this.#further({ permission, where: aggregate.filter }, inner)} HAVING ${having})`;
  }

  aggregateCall(
    aggregate: Pick<AggregateCondition, "function" | "columns">,
    scope: Scope,
    distinct: boolean = false,
  ): string {
    if (aggregate.columns === undefined) return "count(*)";
    const columns = aggregate.columns.map((column) => this.operand(column, scope));
    return `${identifier(aggregate.function)}(${distinct ? "DISTINCT " : ""}${columns.join(", ")})`;
  }
}

export function joinCondition({ mapping }: Pick<Relationship, "mapping">, own: string, remote: string): string {
  return mapping
    .map(([from, to]) => `(${own}.${identifier(from.name)} = ${remote}.${identifier(to.name)})`)
    .join(" AND ");
}

/** A native query as an item of FROM, with a replacement for each argument. */
function nativeRows(
  { name, code }: Pick<NativeQuery, "name" | "code">,
  argument: (argument: NativeArgument) => string,
): string {
  const text = code.map((piece) => (typeof piece === "string" ? piece.replaceAll(mark, "") : argument(piece))).join("");
  // The code may end in a comment.
  return `(WITH ${identifier(name)} AS (${text}\n) SELECT * FROM ${identifier(name)})`;
}

/**
 * Gets the types of a native query's columns from Postgres without running the query; an invalid query is an error. Arguments are columns
 * here, as in a statement for many live queries, so that Postgres does not evaluate them early.
 */
export function columnTypesOf(
  query: Pick<NativeQuery, "name" | "code" | "arguments">,
  columns: readonly string[],
): string {
  const own = (position: number) => identifier(`_routeql_${position}`);
  const given = query.arguments.map(({ type }, position) => `NULL::${type.sql} AS ${own(position)}`);
  const rows = nativeRows(query, (argument) => `"_routeql_given".${own(query.arguments.indexOf(argument))}`);
  const types = columns.map((column) => `pg_typeof("_routeql_rows".${identifier(column)})::oid`);
  return `WITH RECURSIVE "_routeql_types"("name", "type") AS (
  SELECT * FROM unnest(ARRAY[${columns.map(literal).join(", ")}]::text[], (SELECT ARRAY[${types.join(", ")}]::oid[]
    FROM (SELECT ${given.join(", ")} OFFSET 0) AS "_routeql_given" LEFT JOIN LATERAL (SELECT * FROM ${rows} AS "_routeql_query" LIMIT 0) AS "_routeql_rows" ON TRUE))
  UNION ALL
  SELECT "d"."name", "t".typbasetype FROM "_routeql_types" AS "d" JOIN pg_catalog.pg_type AS "t" ON "t".oid = "d"."type" WHERE "t".typtype = 'd'
)
SELECT coalesce(json_object_agg("r"."name", format_type("r"."type", -1)), '{}')::text
FROM "_routeql_types" AS "r" JOIN pg_catalog.pg_type AS "t" ON "t".oid = "r"."type" WHERE "t".typtype <> 'd'`;
}
