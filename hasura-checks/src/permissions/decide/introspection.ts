import {
  buildClientSchema,
  getIntrospectionQuery,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isObjectType,
  type GraphQLSchema,
  type IntrospectionQuery,
} from "graphql";
import type { DeclaredNativeQuery, DeclaredTable, Operation } from "../../declared/declared.ts";
import { inputTypeNames } from "@routeql/engine/schema/native-types";
import { qualifiedName } from "@routeql/metadata/read/shape-parts";
import { keyOf } from "../../declared/tables.ts";
import { operations } from "../../declared/permission.ts";
import { fieldOf, rootOf } from "../observe/documents.ts";
import type { Verdicts } from "../report/report.ts";
import type { Subject } from "../observe/subject.ts";

/** The places in the schema of a role that contain column names of a table. */
const places = [
  "",
  "bool_exp",
  "order_by",
  "select_column",
  "stream_cursor_value_input",
  "max_fields",
  "min_fields",
  "sum_fields",
  "avg_fields",
  "max_order_by",
  "sum_order_by",
];

function namesIn(schema: GraphQLSchema, typeName: string): readonly string[] | undefined {
  const type = schema.getType(typeName);
  if (isObjectType(type) || isInputObjectType(type)) return Object.keys(type.getFields());
  return isEnumType(type) ? type.getValues().map(({ name }) => name) : undefined;
}

const listed = (names: readonly string[]) => (names.length === 0 ? "nothing" : names.toSorted().join(", "));

/** The schema of a role, compared with introspection; undefined if there is none. */
async function schemaOf(subject: Subject, role: string, verdicts: Verdicts): Promise<GraphQLSchema | undefined> {
  const served = subject.schema(role);
  const closed = subject.metadata.graphql_schema_introspection.disabled_for_roles.includes(role);
  const reply = await subject.ask(role, {}, getIntrospectionQuery({ descriptions: false }));
  if (closed) {
    const open = () => `${role} can introspect its schema, which is disabled for the role`;
    verdicts.hold("schema", { role }, reply.failure !== undefined, open);
    return served;
  }
  if (reply.failure !== undefined) {
    if (subject.kind === "embedded")
      verdicts.say("schema", { role }, `${role} cannot introspect its schema: ${reply.failure.message}`);
    else verdicts.say("not-verified", { role }, `the schema of ${role}: ${reply.failure.message}`);
    return served;
  }
  const told = buildClientSchema(reply.data as unknown as IntrospectionQuery, { assumeValid: true });
  if (served === undefined) return told;
  for (const name of new Set([told, served].flatMap((schema) => Object.keys(schema.getTypeMap())))) {
    if (name.startsWith("__")) continue;
    const same = listed(namesIn(told, name) ?? []) === listed(namesIn(served, name) ?? []);
    const other = () => `introspection shows ${role} another type ${name} than the served one`;
    verdicts.hold("schema", { role }, same, other);
  }
  return served;
}

function grantedRoots({ access }: Subject, role: string, kind: "query" | "subscription"): readonly string[] {
  const granted = (table: DeclaredTable, operation: Operation) =>
    access.permission(role, table.key)?.operations.has(operation) === true && rootOf(table, operation).kind === kind;
  const functions = access.functions.flatMap((called) => {
    const permission = access.permission(role, called.target);
    if (permission === undefined || called.exposedAs === "mutation" || !access.mayCall(role, called)) return [];
    return permission.aggregates ? [called.field, called.aggregateField] : [called.field];
  });
  return [
    ...[...access.tables.values()].flatMap((table) =>
      operations.filter((operation) => granted(table, operation)).map((operation) => rootOf(table, operation).field),
    ),
    ...functions,
    ...access.nativeQueries.filter((query) => access.mayAsk(role, query) !== undefined).map(({ field }) => field),
  ];
}

/** Root fields of tables, functions and native queries. A running engine can serve others: those of actions and remote schemas. */
function tableRoots({ access }: Subject): ReadonlySet<string> {
  return new Set([
    ...[...access.tables.values()].flatMap((table) => operations.map((operation) => rootOf(table, operation).field)),
    ...access.functions.flatMap(({ field, aggregateField }) => [field, aggregateField]),
    ...access.nativeQueries.map(({ field }) => field),
  ]);
}

/** Fields of remote relationships, which the declaration does not have. */
function remoteFields({ project }: Subject, table: DeclaredTable): ReadonlySet<string> {
  const { sources } = project.loaded.merged as {
    readonly sources: readonly { readonly tables?: readonly RawTable[] }[];
  };
  const raw = sources.flatMap(({ tables = [] }) => tables).find((entry) => keyOfRaw(entry) === table.key);
  return new Set((raw?.remote_relationships ?? []).map(({ name }) => String(name)));
}

interface RawTable {
  readonly table?: unknown;
  readonly remote_relationships?: readonly { readonly name?: unknown }[];
}

function keyOfRaw({ table }: RawTable): string | undefined {
  const name = qualifiedName.safeParse(table);
  return name.success ? keyOf(name.data) : undefined;
}

/** Compares the schema of a role with the declaration: root fields, types and the names in each place. */
export async function verifySchema(subject: Subject, role: string, verdicts: Verdicts): Promise<void> {
  const { access } = subject;
  const schema = await schemaOf(subject, role, verdicts);
  if (schema === undefined) return;
  const known = subject.kind === "embedded" ? undefined : tableRoots(subject);
  for (const kind of ["query", "subscription"] as const) {
    const declared = grantedRoots(subject, role, kind);
    const root = kind === "query" ? schema.getQueryType() : schema.getSubscriptionType();
    const inner = access.namespace === undefined ? root : getNamedType(root?.getFields()[access.namespace]?.type);
    const served = (isObjectType(inner) ? Object.keys(inner.getFields()) : []).filter(
      (name) => name !== "no_queries_available" && known?.has(name) !== false,
    );
    verdicts.count("schema", new Set([...served, ...declared]).size);
    for (const name of served.filter((field) => !declared.includes(field)))
      verdicts.say("schema", { role, name }, `${role} has the root field ${name} (${kind}), which is not declared`);
    for (const name of declared.filter((field) => !served.includes(field)))
      verdicts.say("schema", { role, name }, `${role} lacks the root field ${name} (${kind}), which is declared`);
  }
  for (const table of access.tables.values()) verifyTable(subject, role, table, schema, verdicts);
  for (const query of access.nativeQueries) verifyNativeQuery(subject, role, query, schema, verdicts);
}

function verifyTable(
  subject: Subject,
  role: string,
  table: DeclaredTable,
  schema: GraphQLSchema,
  verdicts: Verdicts,
): void {
  const { access } = subject;
  const permission = access.permission(role, table.key);
  const cell = { role, table: table.key };
  const { naming } = access;
  const typeName = (place: string) => (place === "" ? table.typeName : naming.type(table.names, place));
  const columnFields = [...table.fields.keys()].map((column) => fieldOf(table, column));
  if (permission === undefined) {
    for (const place of places) {
      const name = typeName(place);
      const reason = () => `${role} has the type ${name}, though it may not read ${table.key}`;
      // A role that may change rows without reading them gets a condition without columns, as on Hasura.
      const isHidden =
        place === "bool_exp"
          ? !namesIn(schema, name)?.some((field) => columnFields.includes(field))
          : schema.getType(name) === undefined;
      verdicts.hold("schema", cell, isHidden, reason);
    }
    return;
  }
  const granted = permission.columns.map((column) => fieldOf(table, column));
  const others = new Set([
    ...table.relationships.map(({ name }) => name),
    ...table.computedFields.map(({ name }) => name),
  ]);
  for (const place of places) {
    const type = typeName(place);
    const names = namesIn(schema, type);
    if (names === undefined) continue;
    const differs = (name: string, how: string) => verdicts.say("schema", { ...cell, name }, `${role} ${how}`);
    const found = names.filter((name) => columnFields.includes(name) && (granted.includes(name) || !others.has(name)));
    verdicts.count("schema", columnFields.length);
    for (const name of found.filter((field) => !granted.includes(field)))
      differs(name, `has ${table.rootField}.${name} in ${type}, which is not granted`);
    if (place.endsWith("_fields") || place.endsWith("_order_by")) continue;
    for (const name of granted.filter((field) => !found.includes(field)))
      differs(name, `lacks ${table.rootField}.${name} in ${type}, which is granted`);
  }
  const fields = namesIn(schema, table.typeName) ?? [];
  const expected = new Set([
    ...granted,
    ...relationshipFields(table, role, access),
    ...nativeFields(table, role, access),
    ...computed(table, role, access),
  ]);
  const remote = remoteFields(subject, table);
  const hold = (name: string, holds: boolean, how: string) =>
    verdicts.hold("schema", { ...cell, name }, holds, () => `${role} ${how}`);
  for (const name of fields.filter((field) => !remote.has(field)))
    hold(name, expected.has(name), `has the field ${table.rootField}.${name}, which is not declared`);
  for (const name of expected)
    hold(name, fields.includes(name), `lacks the field ${table.rootField}.${name}, which is declared`);
}

/** Compares the columns in each place with the granted ones. */
function verifyNativeQuery(
  { access }: Subject,
  role: string,
  query: DeclaredNativeQuery,
  schema: GraphQLSchema,
  verdicts: Verdicts,
): void {
  const granted = access.mayAsk(role, query)?.columns ?? [];
  const { model } = query;
  const inputs = inputTypeNames({ name: model }, access);
  for (const typeName of [query.typeName, ...Object.values(inputs)]) {
    const served = new Set(namesIn(schema, typeName));
    verdicts.count("schema", query.columns.length);
    for (const name of query.columns.filter((column) => served.has(column) !== granted.includes(column))) {
      const [has, is] = served.has(name) ? ["has", "is not granted"] : ["lacks", "is granted"];
      verdicts.say("schema", { role, name }, `${role} ${has} ${query.field}.${name} in ${typeName}, which ${is}`);
    }
  }
}

function nativeFields(table: DeclaredTable, role: string, access: Subject["access"]): readonly string[] {
  return table.nativeRelationships.flatMap(({ name, target }) =>
    access.nativeQueries.some((query) => query.field === target && access.mayAsk(role, query) !== undefined)
      ? [name]
      : [],
  );
}

function relationshipFields(table: DeclaredTable, role: string, access: Subject["access"]): readonly string[] {
  return table.relationships.flatMap(({ name, kind, target }) => {
    const permission = access.permission(role, target);
    if (permission === undefined) return [];
    return kind === "array" && permission.aggregates ? [name, access.naming.suffixed(name, "aggregate")] : [name];
  });
}

function computed(table: DeclaredTable, role: string, access: Subject["access"]): readonly string[] {
  const granted = access.permission(role, table.key)?.computedFields ?? [];
  return table.computedFields.flatMap(({ name, target }) => {
    if (target === undefined) return granted.includes(name) ? [name] : [];
    return access.permission(role, target) === undefined ? [] : [name];
  });
}
