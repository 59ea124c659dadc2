import type { Catalog, DatabaseType } from "../catalog/catalog.ts";
import type { NativeQueryMetadata } from "../metadata/native-shape.ts";
import type { SourceMetadata } from "../metadata/shape.ts";
import { typeOf } from "../schema/logical-models.ts";
import type { Naming } from "../schema/naming.ts";
import type { DeclaredPermission } from "./declared.ts";
import { cellsIn, combined, type Grant } from "./grants.ts";
import type { Operation } from "./operations.ts";
import { type DeclaredRelationship, type DeclaredTable, keyOf } from "./tables.ts";

export interface DeclaredArgument {
  readonly name: string;
  /** undefined without a catalogue. */
  readonly type: DatabaseType | undefined;
  readonly nullable: boolean;
}

/** A native query, as far as metadata alone tell who sees what of it. */
export interface DeclaredNativeQuery {
  readonly field: string;
  /** Its SQL, with `{{name}}` for each argument. */
  readonly code: string;
  readonly arguments: readonly DeclaredArgument[];
  /** Columns of the rows. */
  readonly columns: readonly string[];
  /** The rows as if they stood in a table, which has this one root field and no name in the database. */
  readonly rows: DeclaredTable;
  /** Name of the rows' logical model, or of the query where it has one of its own. */
  readonly model: string;
  /** GraphQL type of its rows. */
  readonly typeName: string;
  /** Keys of tables and root fields of native queries that its rows lead to. */
  readonly related: { readonly tables: readonly string[]; readonly queries: readonly string[] };
  /** Roles that some permission names. */
  readonly roles: readonly string[];
  /** undefined: the role has no permission on the logical model. */
  granted(role: string): DeclaredPermission | undefined;
}

const served: ReadonlySet<Operation> = new Set(["query", "live query"]);

/** @param sets roles that inherited roles are made of */
function nativeQueryOf(query: NativeQueryMetadata, { logical_models: models }: SourceMetadata, sets: ReadonlyMap<string, readonly string[]>, naming: Naming, catalog: Catalog | undefined): DeclaredNativeQuery {
  const { returns, root_field_name: field } = query;
  const model = typeof returns === "string" ? models.find(({ name }) => name === returns) : returns;
  const scalars = (model?.fields ?? []).flatMap(({ name, type }) => ("scalar" in type ? [{ name, type: type.scalar }] : []));
  const columns = scalars.map(({ name }) => name);
  const typeNamed = (name: string) => (catalog === undefined ? undefined : typeOf(name, catalog, () => undefined));
  const own = new Map(
    (model?.select_permissions ?? []).map(({ role, permission: { columns: listed, filter, limit } }): [string, Grant] => [
      role,
      {
        columns: new Map((listed === "*" ? columns : columns.filter((name) => listed.includes(name))).map((name) => [name, undefined])),
        computedFields: new Map(),
        filter,
        limit: limit ?? undefined,
        aggregates: false,
        queried: undefined,
        subscribed: undefined,
      },
    ]),
  );
  const grant = (role: string, above: readonly string[] = []): Grant | undefined => {
    const direct = own.get(role);
    if (direct !== undefined || above.includes(role)) return direct;
    const parts = (sets.get(role) ?? []).flatMap((part) => grant(part, [...above, role]) ?? []);
    return parts.length === 0 ? undefined : combined(parts);
  };
  const to = [...query.object_relationships.map((each) => ({ ...each, kind: "object" as const })), ...query.array_relationships.map((each) => ({ ...each, kind: "array" as const }))];
  const modelName = typeof returns === "string" ? returns : field;
  const typeName = to.length > 0 ? field : modelName;
  const key = typeof returns === "string" ? `logical model ${returns}` : `native query ${field}`;
  const mappingsTo = (kind: "remote_table" | "remote_native_query") => to.filter(({ using }) => kind in using);
  const rows: DeclaredTable = {
    key,
    schema: "",
    name: field,
    names: naming.base(undefined, { schema: "public", name: field }),
    typeName,
    rootField: field,
    roots: { select: field, select_by_pk: field, select_aggregate: field, select_stream: field },
    columns,
    fields: new Map(columns.map((name) => [name, name])),
    types: new Map(scalars.flatMap(({ name, type }) => {
      const found = typeNamed(type);
      return found === undefined ? [] : [[name, found] as const];
    })),
    primaryKey: undefined,
    isView: true,
    relationships: mappingsTo("remote_table").flatMap(({ name, kind, using }): DeclaredRelationship[] => ("remote_table" in using ? [{ name, kind, target: keyOf(using.remote_table), mapping: using.column_mapping }] : [])),
    nativeRelationships: mappingsTo("remote_native_query").flatMap(({ name, kind, using }): DeclaredRelationship[] => ("remote_native_query" in using ? [{ name, kind, target: using.remote_native_query, mapping: using.column_mapping }] : [])),
    computedFields: [],
  };
  return {
    field,
    code: query.code,
    arguments: Object.entries(query.arguments).map(([name, { type, nullable }]) => ({ name, type: typeNamed(type), nullable })),
    columns,
    rows,
    model: modelName,
    typeName,
    related: { tables: rows.relationships.map(({ target }) => target), queries: rows.nativeRelationships.map(({ target }) => target) },
    roles: [...own.keys()],
    granted: (role) => {
      const found = grant(role);
      if (found === undefined) return undefined;
      return { role, table: key, columns: [...found.columns.keys()].sort(), cells: cellsIn(found), computedFields: [], filter: found.filter, limit: found.limit, aggregates: false, operations: served };
    },
  };
}

export function nativeQueriesOf(source: SourceMetadata, sets: ReadonlyMap<string, readonly string[]>, naming: Naming, catalog: Catalog | undefined): readonly DeclaredNativeQuery[] {
  return source.native_queries.map((query) => nativeQueryOf(query, source, sets, naming, catalog));
}
