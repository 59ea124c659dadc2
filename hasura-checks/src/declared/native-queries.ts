import { type Catalog, type DatabaseType, typeOf } from "@routeql/metadata/catalog/catalog";
import type { LogicalModelMetadata, NativeQueryMetadata } from "@routeql/metadata/read/shape-parts";
import type { SourceMetadata } from "@routeql/metadata/read/shape";
import type { Naming } from "@routeql/metadata/naming";
import type { DeclaredPermission, Operation } from "./permission.ts";
import { cellsIn, type Grant, inheritedGrant } from "./grants.ts";
import { type DeclaredRelationship, type DeclaredTable, keyOf } from "./tables.ts";

export interface DeclaredArgument {
  readonly name: string;
  /** undefined without a catalogue. */
  readonly type: DatabaseType | undefined;
  readonly nullable: boolean;
}

export interface DeclaredNativeQuery {
  readonly field: string;
  /** Its SQL, with `{{name}}` for each argument. */
  readonly code: string;
  readonly arguments: readonly DeclaredArgument[];
  readonly columns: readonly string[];
  /** The rows as a table with one root field and without a name in the database. */
  readonly rows: DeclaredTable;
  /** Name of the logical model of the rows, or of the query for an inline one. */
  readonly model: string;
  readonly typeName: string;
  /** Keys of related tables, and root fields of related native queries. */
  readonly related: { readonly tables: readonly string[]; readonly queries: readonly string[] };
  readonly roles: readonly string[];
  /** undefined: the role has no permission on the logical model. */
  granted(role: string): DeclaredPermission | undefined;
}

const served: ReadonlySet<Operation> = new Set(["query", "live query"]);

interface Model {
  /** Name of the logical model, or of the query for an inline one. */
  readonly name: string;
  readonly key: string;
  readonly columns: ReadonlyMap<string, DatabaseType | undefined>;
  readonly neverNull: ReadonlySet<string>;
  readonly permissions: LogicalModelMetadata["select_permissions"];
}

type TypeNamed = (name: string) => DatabaseType | undefined;

function modelOf(
  { returns, root_field_name: field }: NativeQueryMetadata,
  models: readonly LogicalModelMetadata[],
  typeNamed: TypeNamed,
): Model {
  const found = typeof returns === "string" ? models.find(({ name }) => name === returns) : returns;
  return {
    name: typeof returns === "string" ? returns : field,
    key: typeof returns === "string" ? `logical model ${returns}` : `native query ${field}`,
    columns: new Map(
      (found?.fields ?? []).flatMap(({ name, type }) =>
        "scalar" in type ? [[name, typeNamed(type.scalar)] as const] : [],
      ),
    ),
    neverNull: new Set((found?.fields ?? []).flatMap(({ name, type }) => (type.nullable ? [] : [name]))),
    permissions: found?.select_permissions ?? [],
  };
}

/** @param sets contained roles of inherited roles */
function grantsOn(
  { columns, permissions }: Model,
  sets: ReadonlyMap<string, readonly string[]>,
): (role: string) => Grant | undefined {
  const own = new Map(
    permissions.map(({ role, permission: { columns: listed, filter, limit } }): [string, Grant] => [
      role,
      {
        columns: new Map(
          [...columns.keys()]
            .filter((name) => listed === "*" || listed.includes(name))
            .map((name) => [name, undefined]),
        ),
        computedFields: new Map(),
        filter,
        limit: limit ?? undefined,
        aggregates: false,
        queried: undefined,
        subscribed: undefined,
      },
    ]),
  );
  return (role) => inheritedGrant(role, sets, (part) => own.get(part));
}

function relationshipsOf({ object_relationships: objects, array_relationships: arrays }: NativeQueryMetadata) {
  const all = [
    ...objects.map((each) => ({ ...each, kind: "object" as const })),
    ...arrays.map((each) => ({ ...each, kind: "array" as const })),
  ];
  return {
    tables: all.flatMap(({ name, kind, using }): DeclaredRelationship[] =>
      "remote_table" in using ? [{ name, kind, target: keyOf(using.remote_table), mapping: using.column_mapping }] : [],
    ),
    queries: all.flatMap(({ name, kind, using }): DeclaredRelationship[] =>
      "remote_native_query" in using
        ? [{ name, kind, target: using.remote_native_query, mapping: using.column_mapping }]
        : [],
    ),
  };
}

function nativeQueryOf(
  query: NativeQueryMetadata,
  model: Model,
  granted: (role: string) => Grant | undefined,
  naming: Naming,
  typeNamed: TypeNamed,
): DeclaredNativeQuery {
  const { root_field_name: field } = query;
  const { tables, queries } = relationshipsOf(query);
  const typeName = tables.length + queries.length > 0 ? field : model.name;
  const columns = [...model.columns.keys()];
  return {
    field,
    code: query.code,
    arguments: Object.entries(query.arguments).map(([name, { type, nullable }]) => ({
      name,
      type: typeNamed(type),
      nullable,
    })),
    columns,
    rows: {
      key: model.key,
      schema: "",
      name: field,
      names: naming.base(undefined, { schema: "public", name: field }),
      typeName,
      rootField: field,
      roots: { select: field, select_by_pk: field, select_aggregate: field, select_stream: field },
      columns,
      fields: new Map(columns.map((name) => [name, name])),
      types: new Map([...model.columns].flatMap(([name, type]) => (type === undefined ? [] : [[name, type] as const]))),
      neverNull: model.neverNull,
      enums: new Map(),
      primaryKey: undefined,
      isView: true,
      relationships: tables,
      nativeRelationships: queries,
      computedFields: [],
    },
    model: model.name,
    typeName,
    related: { tables: tables.map(({ target }) => target), queries: queries.map(({ target }) => target) },
    roles: model.permissions.map(({ role }) => role),
    granted: (role) => {
      const found = granted(role);
      if (found === undefined) return undefined;
      return {
        role,
        table: model.key,
        columns: [...found.columns.keys()].sort(),
        cells: cellsIn(found),
        computedFields: [],
        filter: found.filter,
        limit: found.limit,
        aggregates: false,
        operations: served,
      };
    },
  };
}

/** @param sets contained roles of inherited roles */
export function nativeQueriesOf(
  source: SourceMetadata,
  sets: ReadonlyMap<string, readonly string[]>,
  naming: Naming,
  catalog: Catalog | undefined,
): readonly DeclaredNativeQuery[] {
  const typeNamed: TypeNamed = (name) => (catalog === undefined ? undefined : typeOf(name, catalog, () => undefined));
  return source.native_queries.map((query) => {
    const model = modelOf(query, source.logical_models, typeNamed);
    return nativeQueryOf(query, model, grantsOn(model, sets), naming, typeNamed);
  });
}
