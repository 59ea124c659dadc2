import {
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
  printType,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLNamedType,
  type GraphQLOutputType,
} from "graphql";
import { byName, directives, list, type OutputFields, TypeBook, type TypeOptions } from "./types.ts";
import { description, title, type TrackedFunction } from "../model.ts";
import { fieldsOf, meaning, typed, visibleColumns, type VisibleTable } from "./meta.ts";
import type { RoleBook, SubscriptionRootField } from "./permissions.ts";
import type { ResolvedSource } from "./resolve.ts";
import { rootFieldNames } from "@routeql/metadata/naming";
import { functionArguments, primaryKeyArguments, rowArguments, where } from "./arguments.ts";
import { aggregateType, nativeQueryField, tableType } from "./object-types.ts";
import { mutationRootFields } from "./mutations/root-fields.ts";

export interface RoleSchema {
  readonly query: GraphQLObjectType;
  /** Absent when the role can change nothing. */
  readonly mutation: GraphQLObjectType | undefined;
  /** Absent when the role can subscribe to nothing. */
  readonly subscription: GraphQLObjectType | undefined;
  /** Built on first use, for introspection and SDL. */
  readonly schema: GraphQLSchema;
}

export interface RoleSchemaOptions extends TypeOptions {
  readonly inferFunctionPermissions: boolean;
  readonly mutations: boolean;
}

export interface RoleView {
  readonly role: string;
  /** Whether permissions apply that are `backend_only`. */
  readonly isBackend: boolean;
}

const nothingAvailable =
  "There are no queries available to the current role. Either there are no sources or remote schemas configured, or the current role doesn't have the required permissions.";

function streamArguments(target: VisibleTable, types: TypeBook) {
  const { names } = target.table;
  const { naming } = types;
  const direction = (word: string, descending: boolean) => ({
    description: `${word} ordering of the cursor`,
    ...meaning({ kind: "direction", direction: { descending, nullsFirst: false } }),
  });
  const ordering = types.enumeration(naming.shared("cursor_ordering"), "ordering argument of a cursor", () => ({
    ASC: direction("ascending", false),
    DESC: direction("descending", true),
  }));
  const value = types.input(
    naming.type(names, "stream_cursor_value_input"),
    "Initial value of the column from where the streaming should start",
    () =>
      fieldsOf(visibleColumns(target), (scalar) =>
        typed(types.column(scalar.column), { kind: "scalar", scalar }, scalar.column.description),
      ),
  );
  const described = `Streaming cursor of the table "${names.raw}"`;
  const cursor = types.input(naming.type(names, "stream_cursor_input"), described, () => ({
    [naming.field("initial_value")]: typed(
      new GraphQLNonNull(value),
      { kind: "initial-value" },
      "Stream column input with initial value",
    ),
    ordering: typed(ordering, { kind: "ordering" }, "cursor ordering"),
  }));
  return {
    where: where(target, types),
    cursor: typed(
      new GraphQLNonNull(new GraphQLList(cursor)),
      { kind: "cursor" },
      "cursor to stream the results returned by the query",
    ),
    [naming.field("batch_size")]: typed(
      new GraphQLNonNull(GraphQLInt),
      { kind: "batch-size" },
      "maximum number of rows returned in a single batch",
    ),
  };
}

function tableRootFields(target: VisibleTable, types: TypeBook, operation: "query" | "subscription"): OutputFields {
  const { table, permission } = target;
  const custom = table.metadata.configuration?.custom_root_fields;
  const allowed: ReadonlySet<string> | undefined =
    operation === "query" ? permission.queryRootFields : permission.subscriptionRootFields;
  const names = rootFieldNames(table.metadata, table.names, types.naming);
  const fields: OutputFields = {};
  const put = (
    field: SubscriptionRootField,
    kind: "select" | "select-by-pk" | "select-aggregate" | "select-stream",
    [what, how = ""]: readonly [what: string, how?: string],
    type: GraphQLOutputType,
    args: GraphQLFieldConfigArgumentMap,
  ) => {
    if (allowed?.has(field) === false) return;
    const described = description(custom?.[field]?.comment, `fetch ${what}: ${title(table.catalog)}${how}`);
    fields[names[field]] = { ...typed(type, { kind, target }, described), args };
  };
  const type = tableType(target, types);
  const rows = rowArguments(target, types);
  put("select", "select", ["data from the table"], list(type), rows);
  if (permission.allowAggregations) {
    const aggregate = new GraphQLNonNull(aggregateType(target, types));
    put("select_aggregate", "select-aggregate", ["aggregated fields from the table"], aggregate, rows);
  }
  const key = primaryKeyArguments(target, types);
  if (key !== undefined)
    put("select_by_pk", "select-by-pk", ["data from the table", " using primary key columns"], type, key);
  if (operation === "subscription" && !types.options.hideStreams && visibleColumns(target).length > 0) {
    const cursor = streamArguments(target, types);
    put("select_stream", "select-stream", ["data from the table in a streaming manner"], list(type), cursor);
  }
  return fields;
}

function functionRootFields(tracked: TrackedFunction, target: VisibleTable, types: TypeBook): OutputFields {
  const { naming } = types;
  const { call, fields: names } = tracked;
  const called = title(call.function);
  const returned = title(tracked.target.catalog);
  const isMutation = tracked.exposedAs === "mutation";
  const rows = rowArguments(target, types);
  const type = tableType(target, types);
  const argumentsOf = (field: string) => ({
    args: { ...functionArguments(call, tracked.argumentsType, `function "${field}"`, types), ...rows },
  });
  const automatic = `execute ${isMutation ? "VOLATILE " : ""}function ${called} which returns ${returned}`;
  const fields: OutputFields = {
    [naming.rootField(names.rows)]: {
      ...typed(
        tracked.returnsSet ? list(type) : type,
        { kind: "function", function: tracked, target },
        description(tracked.metadata.comment, automatic),
      ),
      ...argumentsOf(names.rows),
    },
  };
  if (target.permission.allowAggregations && !isMutation)
    fields[naming.rootField(names.aggregate)] = {
      ...typed(
        new GraphQLNonNull(aggregateType(target, types)),
        { kind: "function-aggregate", function: tracked, target },
        `execute function ${called} and query aggregates on result of table type ${returned}`,
      ),
      ...argumentsOf(names.aggregate),
    };
  return fields;
}

function mayCall(tracked: TrackedFunction, role: string, book: RoleBook, options: RoleSchemaOptions): boolean {
  if (role === "admin") return true;
  if (options.inferFunctionPermissions && tracked.exposedAs === "query") return true;
  const parts = new Set(book.partsOf(role));
  return tracked.metadata.permissions.some((permission) => parts.has(permission.role));
}

export interface RoleSource {
  readonly source: ResolvedSource;
  readonly book: RoleBook;
}

interface Roots {
  readonly query: OutputFields;
  readonly mutation: OutputFields;
  readonly subscription: OutputFields;
}

function schemaOf({ query, mutation, subscription }: Roots): Omit<RoleSchema, "schema"> {
  const unlessEmpty = (name: string, fields: OutputFields, description?: string) =>
    Object.keys(fields).length === 0 ? undefined : new GraphQLObjectType({ name, description, fields: byName(fields) });
  return {
    query: new GraphQLObjectType({ name: "query_root", fields: byName(query) }),
    mutation: unlessEmpty("mutation_root", mutation, "mutation root"),
    subscription: unlessEmpty("subscription_root", subscription),
  };
}

function sourceRoots(
  { source, book }: RoleSource,
  { role, isBackend }: RoleView,
  options: RoleSchemaOptions,
  types: TypeBook,
): Roots {
  const rootsOf = (operation: "query" | "mutation" | "subscription"): OutputFields => {
    const fields: OutputFields = {};
    for (const table of source.tables.values()) {
      if (operation === "mutation") {
        const changed = types.writable(table);
        if (changed !== undefined) Object.assign(fields, mutationRootFields(changed, types, isBackend));
        continue;
      }
      const target = types.visible(table);
      if (target !== undefined) Object.assign(fields, tableRootFields(target, types, operation));
    }
    for (const tracked of source.functions) {
      if ((tracked.exposedAs === "mutation") !== (operation === "mutation")) continue;
      const target = types.visible(tracked.target);
      if (target !== undefined && mayCall(tracked, role, book, options))
        Object.assign(fields, functionRootFields(tracked, target, types));
    }
    if (operation !== "mutation")
      for (const native of source.nativeQueries.values()) Object.assign(fields, nativeQueryField(native, types));
    for (const field of Object.values(fields)) field.extensions = { ...field.extensions, source: source.name };
    const { namespace } = source.naming;
    if (namespace === undefined || Object.keys(fields).length === 0) return fields;
    const mutation = isBackend ? "mutation_backend" : "mutation_frontend";
    const name = source.naming.namespaceType(namespace, operation === "mutation" ? mutation : operation);
    return { [namespace]: typed(new GraphQLObjectType({ name, fields: byName(fields) }), { kind: "namespace" }) };
  };
  const mutation = options.mutations ? rootsOf("mutation") : {};
  return { query: rootsOf("query"), mutation, subscription: rootsOf("subscription") };
}

/** @param typesOf the types of each source by name: shared by all sources, or separate */
function allRoots(
  sources: readonly RoleSource[],
  view: RoleView,
  options: RoleSchemaOptions,
  typesOf: (index: number) => Map<string, GraphQLNamedType>,
): Roots {
  const roots: Roots = { query: {}, mutation: {}, subscription: {} };
  const earlier = new Set<string>();
  for (const [index, each] of sources.entries()) {
    const types = typesOf(index);
    const { source, book } = each;
    const [permissions, writes] = [book.permissionsOf(view.role), book.writesOf(view.role)];
    const typeBook = new TypeBook(source.naming, permissions, writes, types, options, new Set(earlier));
    const own = sourceRoots(each, view, options, typeBook);
    Object.assign(roots.query, own.query);
    Object.assign(roots.mutation, own.mutation);
    Object.assign(roots.subscription, own.subscription);
    if (sources.length === 1) continue;
    // Types are created on first access; the next source must know all names.
    void new GraphQLSchema({ ...schemaOf(own), assumeValid: true });
    for (const name of types.keys()) earlier.add(name);
  }
  return roots;
}

/** The schema of a role, without objects that it has no permission for. */
export function buildRoleSchema(
  sources: readonly RoleSource[],
  view: RoleView,
  options: RoleSchemaOptions,
): RoleSchema {
  // Two sources may have types with one name and equal fields, with different meanings.
  const own = sources.map(() => new Map<string, GraphQLNamedType>());
  const roots = (typesOf: Parameters<typeof allRoots>[3]): Omit<RoleSchema, "schema"> => {
    const { query, mutation, subscription } = allRoots(sources, view, options, typesOf);
    if (Object.keys(query).length === 0) {
      query["no_queries_available"] = typed(
        new GraphQLNonNull(GraphQLString),
        { kind: "constant", text: nothingAvailable },
        nothingAvailable,
      );
    }
    return schemaOf({ query, mutation, subscription });
  };
  const served = roots((index) => own[index] ?? new Map<string, GraphQLNamedType>());
  let schema: GraphQLSchema | undefined;
  return {
    ...served,
    get schema() {
      const shared = new Map<string, GraphQLNamedType>();
      schema ??= new GraphQLSchema({ ...(sources.length === 1 ? served : roots(() => shared)), directives });
      return schema;
    },
  };
}

/** Types of a role that two sources define with different fields: the later source's place, and the earlier one's name. */
export function conflictingTypes(
  sources: readonly RoleSource[],
  role: string,
  options: RoleSchemaOptions,
): readonly { readonly name: string; readonly index: number; readonly owner: string }[] {
  const types = sources.map(() => new Map<string, GraphQLNamedType>());
  allRoots(sources, { role, isBackend: true }, options, (index) => types[index] ?? new Map<string, GraphQLNamedType>());
  const known = new Map<string, { readonly owner: string; readonly shape: string }>();
  return types.flatMap((own, index) =>
    [...own].flatMap(([name, type]) => {
      const shape = printType(type).replaceAll(/^\s*"""[^]*?"""$/gm, "");
      const first = known.get(name);
      if (first === undefined) known.set(name, { owner: sources[index]?.source.name ?? "", shape });
      return first === undefined || first.shape === shape ? [] : [{ name, index, owner: first.owner }];
    }),
  );
}
