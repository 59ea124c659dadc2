import type { DatabaseType } from "@routeql/metadata/catalog/catalog";
import type { DeclaredArgument, DeclaredFunction, DeclaredNativeQuery } from "../../declared/declared.ts";
import { identifier, quoted } from "../../declared/filter-text.ts";
import { literal } from "./documents.ts";
import type { Variables } from "./served.ts";
import type { Subject } from "./subject.ts";

/** Values of arguments by their names, as Postgres writes them. */
export type ArgumentValues = Readonly<Record<string, string | null>>;

/** Arguments of the configuration, by root field. */
export type GivenArguments = Readonly<Record<string, readonly ArgumentValues[]>>;

/** A call of a function or native query with certain arguments. */
export interface Call {
  readonly field: string;
  /** The root field of the aggregates, if there is one. */
  readonly aggregateField: string;
  /** The argument `args`; empty without arguments. */
  readonly args: string;
  /** Whether it returns one row or null instead of a list. */
  readonly single: boolean;
  /** The same rows in SQL, as an item of FROM without an alias. */
  from(role: string, variables: Variables): string;
}

/** Calls that return rows, or the reason why there are none. */
export type Calls =
  | { readonly calls: readonly Call[]; readonly reason?: undefined }
  | { readonly calls?: undefined; readonly reason: string };

/** Most sets of arguments for one root field. */
const most = 2;

const candidates: readonly (readonly [types: RegExp, values: readonly string[]])[] = [
  [/^(int2|int4|int8|numeric|float4|float8)$/, ["1", "100", "0"]],
  [/^(text|varchar|bpchar|citext)$/, ["", "a", "%"]],
  [/^bool$/, ["true", "false"]],
  [/^(date|timestamp|timestamptz)$/, ["2000-01-01", "2100-01-01"]],
  [/^jsonb?$/, ["{}"]],
];

async function valuesFor(
  { type, nullable }: DeclaredArgument,
  { database }: Subject,
): Promise<readonly (string | null)[]> {
  const none = nullable ? [null] : [];
  if (type === undefined) return none;
  if (type.kind === "enum") {
    const labels = await database.rows(
      `select label::text from unnest(enum_range(null::${type.sql})) label limit ${most}`,
    );
    return [...labels.flatMap(([label]) => label ?? []), ...none];
  }
  if (type.kind === "composite") return [...(await rowsOfType(type, database)), ...none];
  return [...(candidates.find(([types]) => types.test(type.name))?.[1] ?? []), ...none];
}

async function rowsOfType({ sql }: DatabaseType, database: Subject["database"]): Promise<readonly string[]> {
  const isTable = await database.text("select (relkind <> 'c')::text from pg_class where reltype = $1::regtype", [sql]);
  const rows = isTable === "true" ? await database.rows(`select it::text from ${sql} it limit ${most}`) : [];
  return rows.flatMap(([row]) => row ?? []);
}

/** Uses each value of each argument at least once; empty if the type of an argument has no known values. */
async function guessed(needed: readonly DeclaredArgument[], subject: Subject): Promise<readonly ArgumentValues[]> {
  const columns: (readonly [name: string, values: readonly (string | null)[]])[] = [];
  for (const argument of needed) columns.push([argument.name, await valuesFor(argument, subject)]);
  const length = columns.some(([, values]) => values.length === 0)
    ? 0
    : Math.max(1, ...columns.map(([, values]) => values.length));
  return Array.from({ length }, (_none, index) =>
    Object.fromEntries(columns.map(([name, values]) => [name, values[index % values.length] ?? null])),
  );
}

const sqlValue = (value: string | null | undefined, { sql }: Pick<DatabaseType, "sql">): string =>
  value === null || value === undefined ? `null::${sql}` : `${quoted(value)}::${sql}`;

function argsText(declared: readonly DeclaredArgument[], values: ArgumentValues): string {
  const given = declared.flatMap(({ name, type }) =>
    Object.hasOwn(values, name)
      ? [`${name}: ${values[name] === null ? "null" : literal(values[name] ?? "", type)}`]
      : [],
  );
  return given.length === 0 ? "" : `args: {${given.join(", ")}}`;
}

/** The SQL code with values instead of arguments, independent of the engine. */
function nativeCall({ field, code, arguments: declared }: DeclaredNativeQuery, values: ArgumentValues): Call {
  const types = new Map(declared.map(({ name, type }) => [name, type]));
  const text = code
    .replace(/[\s;]+$/, "")
    .replaceAll(
      /\{\{(.*?)\}\}/gs,
      (_all, name: string) => `(${sqlValue(values[name], types.get(name) ?? { sql: "text" })})`,
    );
  return { field, aggregateField: field, args: argsText(declared, values), single: false, from: () => `(${text}\n)` };
}

function functionCall(called: DeclaredFunction, declared: readonly DeclaredArgument[], values: ArgumentValues): Call {
  const given = declared.filter(({ name }) => Object.hasOwn(values, name));
  const byName = (name: string, value: string) =>
    called.unnamed.has(name) ? value : `${identifier(name)} => ${value}`;
  const client = given.map(({ name, type }) => byName(name, sqlValue(values[name], type ?? { sql: "text" })));
  return {
    field: called.field,
    aggregateField: called.aggregateField,
    args: argsText(declared, values),
    single: !called.returnsSet,
    from: (role, variables) => {
      const session =
        called.session === undefined
          ? []
          : [
              byName(
                called.session.name,
                sqlValue(JSON.stringify({ ...variables, "x-hasura-role": role }), called.session.type),
              ),
            ];
      return `${identifier(called.schema)}.${identifier(called.name)}(${[...client, ...session].join(", ")})`;
    },
  };
}

/** Runs a call in SQL: whether it returns rows, and the same rows each time; otherwise the reason. */
async function fault({ database }: Subject, from: string): Promise<string | undefined> {
  const asked = `select coalesce(md5(string_agg(r, '' order by r)), '') from (select to_json(it)::text as r from ${from} it order by 1 limit 1000) rows`;
  try {
    const [first, second] = [await database.text(asked), await database.text(asked)];
    if (first === "") return "it returns no rows";
    return first === second ? undefined : "it returns other rows each time";
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code === undefined) throw error;
    return message;
  }
}

async function usable(subject: Subject, calls: readonly Call[], role: string, variables: Variables): Promise<Calls> {
  const found: Call[] = [];
  const faults: string[] = [];
  for (const call of calls) {
    if (found.length === most) break;
    const reason = await fault(subject, call.from(role, variables));
    if (reason === undefined) found.push(call);
    else faults.push(call.args === "" ? reason : `with (${call.args}) ${reason}`);
  }
  if (found.length > 0) return { calls: found };
  const needsArguments = calls.length === 0 ? "the type of an argument has no known values" : faults[0];
  return { reason: `${needsArguments ?? ""}; set its arguments in hasura-checks.yaml` };
}

export async function callsOfNativeQuery(
  subject: Subject,
  query: DeclaredNativeQuery,
  given: GivenArguments,
): Promise<Calls> {
  const sets = given[query.field] ?? (await guessed(query.arguments, subject));
  return usable(
    subject,
    sets.map((values) => nativeCall(query, values)),
    "",
    {},
  );
}

/** Calls of a function. Arguments with a default value are omitted. */
export async function guessedCalls(
  subject: Subject,
  called: DeclaredFunction,
  given: GivenArguments,
): Promise<readonly Call[]> {
  const declared = called.arguments.map(({ field, type }): DeclaredArgument => ({ name: field, type, nullable: true }));
  const needed = declared.filter((_argument, index) => called.arguments[index]?.hasDefault === false);
  const sets = given[called.field] ?? (await guessed(needed, subject));
  return sets.map((values) => functionCall(called, declared, values));
}

export async function callsOfFunction(
  subject: Subject,
  called: DeclaredFunction,
  given: GivenArguments,
  role: string,
  variables: Variables,
): Promise<Calls> {
  return usable(subject, await guessedCalls(subject, called, given), role, variables);
}
