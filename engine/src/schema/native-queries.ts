/** Native queries and logical models, resolved against the database. */
import { type AskForText, type Catalog, typeOf } from "@routeql/metadata/catalog/catalog";
import { graphqlName } from "@routeql/metadata/naming";
import type { MergedPath } from "@routeql/metadata/read/load";
import type { LogicalModelMetadata, NativeQueryMetadata } from "@routeql/metadata/read/shape-parts";
import type { SourceMetadata } from "@routeql/metadata/read/shape";
import pg from "pg";
import { PostgresError } from "../postgres/messages.ts";
import {
  type Fail,
  failing,
  type LogicalModel,
  type NativeArgument,
  type NativeQuery,
  type Report,
  type TableColumn,
} from "../model.ts";
import { columnTypesOf } from "../sql/print.ts";

export class BadCode extends Error {}

/** A piece of a native query's code: SQL, or the name of an argument. */
type CodePiece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "argument"; readonly name: string };

/** Literals, quoted names and comments, in which `$1` is plain text, or a numbered parameter. Nested comments may be misread. */
const token =
  /[Ee]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$([A-Za-z_]\w*)?\$.*?\$\1\$|--[^\n]*|\/\*.*?\*\/|(?<parameter>(?<![\w$])\$\d+)/gs;

/** Splits a native query at every `{{argument}}`, as Hasura does, without trailing blanks and semicolons. @throws BadCode */
export function readCode(code: string): readonly CodePiece[] {
  const [first = "", ...rest] = code.replace(/\s+$/, "").replace(/;+$/, "").split("{{");
  const pieces: CodePiece[] = [{ kind: "text", text: first }];
  for (const part of rest) {
    const end = part.indexOf("}}");
    if (end === -1 || part.indexOf("}") !== end) throw new BadCode("{{ has no closing }}");
    pieces.push({ kind: "argument", name: part.slice(0, end) }, { kind: "text", text: part.slice(end + 2) });
  }
  // Numbered parameters belong to the statement: the code would read other values than its arguments.
  for (const { groups } of code.matchAll(token)) {
    if (groups?.["parameter"] !== undefined)
      throw new BadCode(`${groups["parameter"]} is not an argument; write arguments as {{name}}`);
  }
  return pieces.filter((piece) => piece.kind === "argument" || piece.text !== "");
}

export interface NativeObjects {
  /** Includes the inline models of native queries. */
  readonly models: readonly LogicalModel[];
  readonly queries: ReadonlyMap<string, NativeQuery>;
}

type At = (path: MergedPath) => (reason: string) => undefined;

/** The code with its arguments; undefined when it uses undeclared ones. */
function codeOf(
  { code }: NativeQueryMetadata,
  declared: ReadonlyMap<string, NativeArgument>,
  at: At,
): NativeQuery["code"] | undefined {
  try {
    const pieces = readCode(code);
    const used = new Set(pieces.flatMap((piece) => (piece.kind === "argument" ? [piece.name] : [])));
    for (const name of declared.keys())
      if (!used.has(name)) return at(["arguments", name])("the code does not use this argument");
    for (const name of used)
      if (!declared.has(name)) return at(["code"])(`the code uses {{${name}}}, which is not declared as an argument`);
    return pieces.flatMap((piece): (string | NativeArgument)[] => {
      const argument = piece.kind === "text" ? piece.text : declared.get(piece.name);
      return argument === undefined ? [] : [argument];
    });
  } catch (error) {
    if (error instanceof BadCode) return at(["code"])(error.message);
    throw error;
  }
}

/** Checks that the relationships of the model's fields exist, and that none has the name of a column. */
function namesFit(metadata: NativeQueryMetadata, model: LogicalModel, at: At): boolean {
  const taken = new Set<string>(model.columns.keys());
  const placed = (["object_relationships", "array_relationships"] as const).flatMap((kind) =>
    metadata[kind].map(({ name }, index) => ({ name, path: [kind, index, "name"] })),
  );
  const faults = placed.flatMap(({ name, path }) => {
    const isTaken = taken.has(name);
    taken.add(name);
    return isTaken ? [{ path, reason: `the native query has another field of the name ${name}` }] : [];
  });
  for (const name of model.references)
    if (!taken.has(name))
      faults.push({ path: ["returns"], reason: `the field ${name} of ${model.key} needs a relationship of that name` });
  for (const { path, reason } of faults) at(path)(reason);
  return faults.length === 0;
}

/** Postgres' error about an invalid statement. @throws any other error */
function statementFault(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if ((cause instanceof PostgresError || cause instanceof pg.DatabaseError) && !/^(?:08|53|57)/.test(cause.code ?? ""))
    return cause.message;
  throw error;
}

/** Whether the database accepts the query and returns the model's columns and types. */
async function fitsDatabase(query: NativeQuery, ask: AskForText, at: At): Promise<boolean> {
  try {
    const text = await ask(columnTypesOf(query, [...query.model.columns.keys()]), []);
    const types = JSON.parse(text ?? "{}") as Readonly<Record<string, string>>;
    const wrong = [...query.model.columns.values()].find(({ name, type }) => types[name] !== type.sql);
    if (wrong === undefined) return true;
    const found = `the column ${wrong.name} is of the type ${types[wrong.name] ?? "unknown"}`;
    at(["code"])(`${found}; ${query.model.key} says ${wrong.type.sql}`);
    return false;
  } catch (error) {
    at(["code"])(`Postgres rejects the query: ${statementFault(error)}`);
    return false;
  }
}

async function resolveQuery(
  metadata: NativeQueryMetadata,
  path: MergedPath,
  models: ReadonlyMap<string, LogicalModel>,
  catalog: Catalog,
  ask: AskForText,
  report: Report,
): Promise<NativeQuery | undefined> {
  const name = metadata.root_field_name;
  const at: At = (further) => failing(report, [...path, ...further], "native_query", name);
  const declared = Object.entries(metadata.arguments).map(
    ([argument, { type, nullable, description }]): NativeArgument | undefined => {
      const found = typeOf(type, catalog, at(["arguments", argument, "type"]));
      return found && { name: argument, type: found, nullable, description: description ?? undefined };
    },
  );
  const { returns } = metadata;
  const model =
    typeof returns === "string"
      ? (models.get(returns) ?? at(["returns"])(`there is no logical model ${returns}`))
      : resolveModel(
          { name, description: metadata.description, ...returns },
          `the logical model of ${name}`,
          [...path, "returns"],
          new Set(models.keys()),
          catalog,
          report,
        );
  const known = declared.filter((argument) => argument !== undefined);
  if (model === undefined || known.length < declared.length) return undefined;
  const code = codeOf(metadata, new Map(known.map((argument) => [argument.name, argument])), at);
  if (code === undefined || !namesFit(metadata, model, at)) return undefined;
  const none = { relationships: new Map(), nativeRelationships: new Map() };
  const query: NativeQuery = { name, metadata, path, code, arguments: known, model, ...none };
  return (await fitsDatabase(query, ask, at)) ? query : undefined;
}

/** Resolves all but the relationships; invalid objects are reported and omitted. */
export async function resolveNativeObjects(
  source: SourceMetadata,
  path: MergedPath,
  catalog: Catalog,
  ask: AskForText,
  report: Report,
): Promise<NativeObjects> {
  const models = new Map<string, LogicalModel>();
  const named = new Set(source.logical_models.map(({ name }) => name));
  for (const [index, metadata] of source.logical_models.entries()) {
    const own = [...path, "logical_models", index];
    if (models.has(metadata.name))
      report([...own, "name"], "logical_model", metadata.name, "this logical model occurs twice");
    const model = resolveModel(metadata, `the logical model ${metadata.name}`, own, named, catalog, report);
    if (model !== undefined && !models.has(metadata.name)) models.set(metadata.name, model);
  }
  const queries = new Map<string, NativeQuery>();
  for (const [index, metadata] of source.native_queries.entries()) {
    const own = [...path, "native_queries", index];
    const query = await resolveQuery(metadata, own, models, catalog, ask, report);
    if (query !== undefined && queries.has(query.name))
      report([...own, "root_field_name"], "native_query", query.name, "this native query occurs twice");
    else if (query !== undefined) queries.set(query.name, query);
  }
  return { models: [...new Set([...models.values(), ...[...queries.values()].map(({ model }) => model)])], queries };
}

/** The model `key`; `models` are the names that its fields may refer to. An invalid one is reported, and undefined. */
function resolveModel(
  metadata: LogicalModelMetadata,
  key: string,
  path: MergedPath,
  models: ReadonlySet<string>,
  catalog: Catalog,
  report: Report,
): LogicalModel | undefined {
  const columns = new Map<string, TableColumn>();
  const references = new Set<string>();
  let sound = true;
  for (const [index, { name, type, description }] of metadata.fields.entries()) {
    const failed = failing(report, [...path, "fields", index], "logical_model", metadata.name);
    const fail: Fail = (reason) => {
      sound = false;
      return failed(reason);
    };
    if (columns.has(name) || references.has(name)) fail(`the field ${name} occurs twice`);
    else if (!graphqlName.test(name) || name.startsWith("__")) fail(`"${name}" is not a GraphQL name`);
    else if ("scalar" in type) {
      const found = typeOf(type.scalar, catalog, fail);
      if (found !== undefined)
        columns.set(name, {
          name,
          graphqlName: name,
          type: found,
          nullable: type.nullable,
          description: description ?? undefined,
          enumeration: undefined,
        });
    } else {
      const { logical_model: to } = "array" in type ? type.array : type;
      if (models.has(to)) references.add(name);
      else fail(`there is no logical model ${to}`);
    }
  }
  if (!sound) return undefined;
  const { name, description, select_permissions: permissions } = metadata;
  return {
    key,
    name,
    description: description ?? undefined,
    path,
    columns,
    relationships: new Map(),
    computedFields: new Map(),
    permissions,
    references,
  };
}
