import { graphqlName } from "../naming.ts";
import type { QualifiedName, SourceMetadata } from "../read/shape.ts";
import { type CatalogAnswer, catalogQuery } from "./query.ts";

/** The type of a column, an argument or a result. For a column a domain counts as its base type, as in Hasura. */
export interface DatabaseType {
  /** `pg_type.typname`, e.g. `int4`, `varchar`, `_int8`. */
  readonly name: string;
  /** Its name in a cast, with the schema if the search path needs it. */
  readonly sql: string;
  readonly kind: "base" | "composite" | "enum" | "range" | "pseudo" | "multirange" | "domain" | "array";
  readonly element?: DatabaseType;
}

export interface CatalogColumn {
  readonly name: string;
  readonly type: DatabaseType;
  readonly nullable: boolean;
  readonly comment: string | undefined;
  /** Postgres alone sets its value: an identity column GENERATED ALWAYS, or a computed column. */
  readonly isGenerated: boolean;
}

/** A unique index, also that of the primary key. */
export interface UniqueIndex {
  readonly name: string;
  readonly columns: readonly string[];
}

export interface ForeignKey {
  readonly name: string;
  readonly columns: readonly string[];
  readonly target: QualifiedName;
  readonly targetColumns: readonly string[];
}

/** Whether a foreign key of one column refers to the key of its target. Only such a column gets the type of an enum table, as in Hasura. */
export const refersToKey = ({ columns, targetColumns }: ForeignKey, target: CatalogTable | undefined): boolean =>
  columns.length === 1 && target?.primaryKey?.length === 1 && target.primaryKey[0] === targetColumns[0];

export interface CatalogTable extends QualifiedName {
  readonly kind: "table" | "view" | "materialized view" | "foreign table";
  readonly comment: string | undefined;
  /** In the order of the table. */
  readonly columns: ReadonlyMap<string, CatalogColumn>;
  readonly primaryKey: readonly string[] | undefined;
  readonly foreignKeys: readonly ForeignKey[];
  readonly unique: readonly UniqueIndex[];
  /** Whether Postgres accepts such statements for it: any for a table, those of its rules and triggers for a view. */
  readonly accepts: { readonly insert: boolean; readonly update: boolean };
}

export interface CatalogArgument {
  readonly name: string | undefined;
  readonly type: DatabaseType;
  readonly hasDefault: boolean;
}

export interface CatalogFunction extends QualifiedName {
  readonly volatility: "immutable" | "stable" | "volatile";
  readonly comment: string | undefined;
  readonly arguments: readonly CatalogArgument[];
  readonly returnsSet: boolean;
  readonly returnType: DatabaseType;
  readonly returnTable: QualifiedName | undefined;
  readonly variadic: boolean;
}

export interface EnumValue {
  readonly value: string;
  readonly comment: string | undefined;
}

export interface Catalog {
  readonly tables: ReadonlyMap<string, CatalogTable>;
  /** All overloads of each name. */
  readonly functions: ReadonlyMap<string, readonly CatalogFunction[]>;
  /** Rows of the tracked enum tables. */
  readonly enums: ReadonlyMap<string, readonly EnumValue[]>;
  /** The existing types among the requested names. */
  readonly types: ReadonlyMap<string, DatabaseType>;
}

export interface CatalogRequest {
  readonly tables: readonly QualifiedName[];
  readonly functions: readonly QualifiedName[];
  readonly enumTables: readonly QualifiedName[];
  /** `pg_type.typname` of types in the metadata, resolved by the search path. */
  readonly types?: readonly string[];
}

/** Runs one statement and returns the first column of its only row. */
export type AskForText = (statement: string, parameters: readonly unknown[]) => Promise<string | null>;

/** A name as a key of maps and in errors. */
export function nameKey({ schema, name }: QualifiedName): string {
  return `${schema}.${name}`;
}

const typeKinds = {
  b: "base",
  c: "composite",
  e: "enum",
  r: "range",
  p: "pseudo",
  m: "multirange",
  d: "base",
} as const;
const tableKinds = { r: "table", p: "table", v: "view", m: "materialized view", f: "foreign table" } as const;
const volatilities = { i: "immutable", s: "stable", v: "volatile" } as const;

type AnsweredType = CatalogAnswer["types"][string];

type FindType = (oid: number) => DatabaseType;

function typeFinder(types: Readonly<Record<string, AnsweredType>>) {
  const found = new Map<number, DatabaseType>();
  const answerOf = (oid: number): AnsweredType => {
    const answered = types[String(oid)];
    if (answered === undefined) throw new Error(`the catalogue did not give type ${oid}`);
    return answered;
  };
  const ofColumn: FindType = (oid) => {
    const known = found.get(oid);
    if (known !== undefined) return known;
    const { name, sql, kind, element } = answerOf(oid);
    const type: DatabaseType = {
      name,
      sql,
      kind: typeKinds[kind],
      ...(element === null ? {} : { element: ofColumn(element) }),
    };
    found.set(oid, type);
    return type;
  };
  /** Hasura knows the types of functions by their names in the catalogue: a list is the scalar `_text`, a domain has its own name. */
  const ofFunction: FindType = (oid) => {
    const { name, sql, kind, element, domain } = answerOf(oid);
    if (typeof domain === "string") return { name: domain, sql, kind: "domain" };
    return { name, sql, kind: element === null ? typeKinds[kind] : "array" };
  };
  return { ofColumn, ofFunction };
}

function readTable(table: CatalogAnswer["tables"][number], type: FindType): CatalogTable {
  const primaryKey = table.keys.find(({ primary }) => primary);
  const accepts = (bit: number): boolean => table.changes === null || (table.changes & bit) !== 0;
  return {
    schema: table.schema,
    name: table.name,
    kind: tableKinds[table.kind],
    comment: table.comment ?? undefined,
    columns: new Map(
      table.columns.map((column) => [
        column.name,
        {
          name: column.name,
          type: type(column.type),
          nullable: column.nullable,
          comment: column.comment ?? undefined,
          isGenerated: column.generated,
        },
      ]),
    ),
    primaryKey: primaryKey?.columns,
    foreignKeys: table.foreign_keys.map(({ name, columns, target, target_columns }) => ({
      name,
      columns,
      target,
      targetColumns: target_columns,
    })),
    unique: table.unique,
    accepts: { insert: accepts(8), update: accepts(4) },
  };
}

function readFunction(found: CatalogAnswer["functions"][number], type: FindType): CatalogFunction {
  const firstDefault = found.arguments.length - found.defaults;
  return {
    schema: found.schema,
    name: found.name,
    volatility: volatilities[found.volatility],
    comment: found.comment ?? undefined,
    arguments: found.arguments.map((argument, index) => ({
      name: argument.name === null || argument.name === "" ? undefined : argument.name,
      type: type(argument.type),
      hasDefault: index >= firstDefault,
    })),
    returnsSet: found.returns_set,
    returnType: type(found.return_type),
    returnTable: found.return_table ?? undefined,
    variadic: found.variadic,
  };
}

function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Values of an enum table: the primary key, and the second column, if there is one, as the comment. */
async function readEnum(table: CatalogTable, ask: AskForText): Promise<readonly EnumValue[]> {
  const [value] = table.primaryKey ?? [];
  if (value === undefined) return [];
  const comment = [...table.columns.keys()].find((column) => column !== value);
  const text = await ask(
    `SELECT coalesce(json_agg(json_build_object('value', ${quote(value)}, 'comment', ${comment === undefined ? "NULL" : quote(comment)}) ORDER BY ${quote(value)} COLLATE "C"), '[]')::text FROM ${quote(table.schema)}.${quote(table.name)}`,
    [],
  );
  const rows = JSON.parse(text ?? "[]") as { value: string; comment: string | null }[];
  return rows.map((row) => ({ value: row.value, comment: row.comment ?? undefined }));
}

function unique(names: readonly QualifiedName[]): readonly QualifiedName[] {
  return [...new Map(names.map((name) => [nameKey(name), name])).values()];
}

/** Reads the tracked tables and functions with one statement, and one more for each enum table. */
export async function readCatalog(request: CatalogRequest, ask: AskForText): Promise<Catalog> {
  const wantedTables = unique(request.tables);
  const wantedFunctions = unique(request.functions);
  const text = await ask(catalogQuery, [
    wantedTables.map(({ schema }) => schema),
    wantedTables.map(({ name }) => name),
    wantedFunctions.map(({ schema }) => schema),
    wantedFunctions.map(({ name }) => name),
    [...new Set(request.types)],
  ]);
  const answer = JSON.parse(text ?? "{}") as CatalogAnswer;
  const { ofColumn, ofFunction } = typeFinder(answer.types);
  const tables = new Map(answer.tables.map((table) => [nameKey(table), readTable(table, ofColumn)]));
  const functions = new Map<string, CatalogFunction[]>();
  for (const found of answer.functions) {
    const key = nameKey(found);
    functions.set(key, [...(functions.get(key) ?? []), readFunction(found, ofFunction)]);
  }
  const enums = new Map<string, readonly EnumValue[]>();
  for (const name of request.enumTables) {
    const table = tables.get(nameKey(name));
    if (table !== undefined) enums.set(nameKey(name), await readEnum(table, ask));
  }
  const types = new Map(Object.entries(answer.named_types).map(([name, oid]) => [name, ofColumn(oid)]));
  return { tables, functions, enums, types };
}

/** Names of types in SQL and Hasura that differ from the catalogue. */
const catalogNames: Readonly<Record<string, string>> = {
  bigint: "int8",
  boolean: "bool",
  char: "bpchar",
  character: "bpchar",
  "character varying": "varchar",
  decimal: "numeric",
  "double precision": "float8",
  float: "float8",
  int: "int4",
  integer: "int4",
  real: "float4",
  smallint: "int2",
  "time with time zone": "timetz",
  "time without time zone": "time",
  "timestamp with time zone": "timestamptz",
  "timestamp without time zone": "timestamp",
};

function catalogName(type: string): string {
  const lower = type.toLowerCase();
  return catalogNames[lower] ?? lower;
}

/** Catalogue names of the types of logical models and of arguments of native queries. */
export function typesNamedBy({ logical_models: models, native_queries: queries }: SourceMetadata): readonly string[] {
  const own = queries.flatMap(({ returns }) => (typeof returns === "string" ? [] : [returns]));
  const fields = [...models, ...own].flatMap((model) =>
    model.fields.flatMap(({ type }) => ("scalar" in type ? [type.scalar] : [])),
  );
  return [...fields, ...queries.flatMap((query) => Object.values(query.arguments).map(({ type }) => type))].map(
    catalogName,
  );
}

/** The type of a field or argument. It needs a GraphQL name; an array's catalogue name, `_text`, is a scalar, as in Hasura. */
export function typeOf(
  name: string,
  { types }: Catalog,
  fail: (reason: string) => undefined,
): DatabaseType | undefined {
  const wanted = catalogName(name);
  if (!graphqlName.test(wanted))
    return fail(`"${name}" is not the name of a type; lists and lengths cannot be given here`);
  const found = types.get(wanted);
  if (found === undefined || found.kind === "pseudo") return fail(`the database has no type ${name} for values`);
  const { element: _, ...scalar } = found;
  return scalar;
}
