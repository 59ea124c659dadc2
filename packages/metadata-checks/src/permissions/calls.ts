import type { DatabaseType } from "@routeql/metadata/catalog/catalog";
import type { DeclaredArgument, DeclaredFunction, DeclaredNativeQuery } from "@routeql/metadata/declared/declared";
import { identifier, quoted } from "@routeql/metadata/declared/sql-text";
import { literal } from "./documents.ts";
import type { Variables } from "./served.ts";
import type { Subject } from "./subject.ts";

/** Values of arguments by their names, as Postgres writes them. */
export type ArgumentValues = Readonly<Record<string, string | null>>;

/** Arguments to try, by root field: what a configuration gives. */
export type GivenArguments = Readonly<Record<string, readonly ArgumentValues[]>>;

/** A root field that is no table's, called with certain arguments. */
export interface Call {
  readonly field: string;
  /** That of the aggregates, where there are any. */
  readonly aggregateField: string;
  /** The argument `args`; empty where there is nothing to give. */
  readonly args: string;
  /** Gives one row or null, and no list. */
  readonly single: boolean;
  /** What gives the same rows in SQL, as an item of FROM without an alias. */
  from(role: string, variables: Variables): string;
}

/** Calls that give rows, or why there is none. */
export type Calls = { readonly calls: readonly Call[]; readonly reason?: undefined } | { readonly calls?: undefined; readonly reason: string };

/** Sets of arguments with which one root field is looked at. */
const most = 2;

const candidates: readonly (readonly [types: RegExp, values: readonly string[]])[] = [
  [/^(int2|int4|int8|numeric|float4|float8)$/, ["1", "100", "0"]],
  [/^(text|varchar|bpchar|citext)$/, ["", "a", "%"]],
  [/^bool$/, ["true", "false"]],
  [/^(date|timestamp|timestamptz)$/, ["2000-01-01", "2100-01-01"]],
  [/^jsonb?$/, ["{}"]],
];

async function valuesFor({ type, nullable }: DeclaredArgument, { database }: Subject): Promise<readonly (string | null)[]> {
  const none = nullable ? [null] : [];
  if (type === undefined) return none;
  if (type.kind === "enum") {
    const labels = await database.rows(`select label::text from unnest(enum_range(null::${type.sql})) label limit ${most}`);
    return [...labels.flatMap(([label]) => label ?? []), ...none];
  }
  if (type.kind === "composite") return [...(await rowsOfType(type, database)), ...none];
  return [...(candidates.find(([types]) => types.test(type.name))?.[1] ?? []), ...none];
}

/** Rows of the table whose type it is; none where it is of no table. */
async function rowsOfType({ sql }: DatabaseType, database: Subject["database"]): Promise<readonly string[]> {
  const isTable = await database.text("select (relkind <> 'c')::text from pg_class where reltype = $1::regtype", [sql]);
  const rows = isTable === "true" ? await database.rows(`select it::text from ${sql} it limit ${most}`) : [];
  return rows.flatMap(([row]) => row ?? []);
}

/** Every argument with each of its values at least once; empty when an argument is of a type whose values nobody here knows. */
async function guessed(needed: readonly DeclaredArgument[], subject: Subject): Promise<readonly ArgumentValues[]> {
  const columns: (readonly [name: string, values: readonly (string | null)[]])[] = [];
  for (const argument of needed) columns.push([argument.name, await valuesFor(argument, subject)]);
  const length = columns.some(([, values]) => values.length === 0) ? 0 : Math.max(1, ...columns.map(([, values]) => values.length));
  return Array.from({ length }, (_none, index) => Object.fromEntries(columns.map(([name, values]) => [name, values[index % values.length] ?? null])));
}

const sqlValue = (value: string | null | undefined, { sql }: Pick<DatabaseType, "sql">): string => (value === null || value === undefined ? `null::${sql}` : `${quoted(value)}::${sql}`);

function argsText(declared: readonly DeclaredArgument[], values: ArgumentValues): string {
  const given = declared.flatMap(({ name, type }) => (Object.hasOwn(values, name) ? [`${name}: ${values[name] === null ? "null" : literal(values[name] ?? "", type)}`] : []));
  return given.length === 0 ? "" : `args: {${given.join(", ")}}`;
}

/** The code itself with values in the place of its arguments: apart from how the engine reads it. */
function nativeCall({ field, code, arguments: declared }: DeclaredNativeQuery, values: ArgumentValues): Call {
  const types = new Map(declared.map(({ name, type }) => [name, type]));
  const text = code.replace(/[\s;]+$/, "").replaceAll(/\{\{(.*?)\}\}/gs, (_all, name: string) => `(${sqlValue(values[name], types.get(name) ?? { sql: "text" })})`);
  return { field, aggregateField: field, args: argsText(declared, values), single: false, from: () => `(${text}\n)` };
}

function functionCall(called: DeclaredFunction, declared: readonly DeclaredArgument[], values: ArgumentValues): Call {
  const given = declared.filter(({ name }) => Object.hasOwn(values, name));
  const byName = (name: string, value: string) => (called.unnamed.has(name) ? value : `${identifier(name)} => ${value}`);
  const client = given.map(({ name, type }) => byName(name, sqlValue(values[name], type ?? { sql: "text" })));
  return {
    field: called.field,
    aggregateField: called.aggregateField,
    args: argsText(declared, values),
    single: !called.returnsSet,
    from: (role, variables) => {
      const session = called.session === undefined ? [] : [byName(called.session.name, sqlValue(JSON.stringify({ ...variables, "x-hasura-role": role }), called.session.type))];
      return `${identifier(called.schema)}.${identifier(called.name)}(${[...client, ...session].join(", ")})`;
    },
  };
}

/** What SQL says of a call: whether it gives rows, and the same ones each time; otherwise what is in the way. */
async function fault({ database }: Subject, from: string): Promise<string | undefined> {
  const asked = `select coalesce(md5(string_agg(r, '' order by r)), '') from (select to_json(it)::text as r from ${from} it order by 1 limit 1000) rows`;
  try {
    const [first, second] = [await database.text(asked), await database.text(asked)];
    if (first === "") return "it gives no row";
    return first === second ? undefined : "its rows are others each time";
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
  const needsArguments = calls.length === 0 ? "it has an argument of a type of which no value is known here" : faults[0];
  return { reason: `${needsArguments ?? ""}; arguments in hasura-checks.yaml can give others` };
}

/** Calls of a native query by which its rows can be looked at. */
export async function callsOfNativeQuery(subject: Subject, query: DeclaredNativeQuery, given: GivenArguments): Promise<Calls> {
  const sets = given[query.field] ?? (await guessed(query.arguments, subject));
  return usable(subject, sets.map((values) => nativeCall(query, values)), "", {});
}

/** Calls of a function by which its rows can be looked at in a session: arguments that have a default keep it. */
export async function callsOfFunction(subject: Subject, called: DeclaredFunction, given: GivenArguments, role: string, variables: Variables): Promise<Calls> {
  const declared = called.arguments.map(({ field, type }): DeclaredArgument => ({ name: field, type, nullable: true }));
  const needed = declared.filter((_argument, index) => called.arguments[index]?.hasDefault === false);
  const sets = given[called.field] ?? (await guessed(needed, subject));
  return usable(subject, sets.map((values) => functionCall(called, declared, values)), role, variables);
}
