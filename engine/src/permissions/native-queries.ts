import type { NativeQueryMetadata } from "../metadata/native-shape.ts";
import type { SourceMetadata } from "../metadata/shape.ts";
import { largest } from "../schema/permissions.ts";
import type { Filter } from "./declared.ts";
import { keyOf } from "./tables.ts";

/** What a role may read of the rows of a native query. */
export interface DeclaredRows {
  readonly columns: readonly string[];
  readonly filter: Filter;
  readonly limit: number | undefined;
}

/** A native query, as far as metadata alone tell who sees what of it. */
export interface DeclaredNativeQuery {
  readonly field: string;
  /** Columns of the rows. */
  readonly columns: readonly string[];
  /** Name of the rows' logical model, or of the query where it has one of its own. */
  readonly model: string;
  /** GraphQL type of its rows. */
  readonly typeName: string;
  /** Keys of tables and root fields of native queries that its rows lead to. */
  readonly related: { readonly tables: readonly string[]; readonly queries: readonly string[] };
  /** Roles that some permission names. */
  readonly roles: readonly string[];
  /** undefined: the role has no permission on the logical model. */
  granted(role: string): DeclaredRows | undefined;
}

/** @param sets roles that inherited roles are made of */
function nativeQueryOf(query: NativeQueryMetadata, { logical_models: models }: SourceMetadata, sets: ReadonlyMap<string, readonly string[]>): DeclaredNativeQuery {
  const { returns, root_field_name: field } = query;
  const model = typeof returns === "string" ? models.find(({ name }) => name === returns) : returns;
  const columns = (model?.fields ?? []).flatMap(({ name, type }) => ("scalar" in type ? [name] : []));
  const own = new Map(
    (model?.select_permissions ?? []).map(({ role, permission: { columns: listed, filter, limit } }): [string, DeclaredRows] => [
      role,
      { columns: listed === "*" ? columns : columns.filter((name) => listed.includes(name)), filter, limit: limit ?? undefined },
    ]),
  );
  const granted = (role: string, above: readonly string[] = []): DeclaredRows | undefined => {
    const direct = own.get(role);
    if (direct !== undefined || above.includes(role)) return direct;
    const parts = (sets.get(role) ?? []).map((part) => granted(part, [...above, role])).filter((part) => part !== undefined);
    if (parts.length < 2) return parts[0];
    return {
      columns: columns.filter((name) => parts.some((part) => part.columns.includes(name))),
      filter: { _or: parts.map(({ filter }) => filter) },
      limit: largest(parts.map(({ limit }) => limit)),
    };
  };
  const to = [...query.object_relationships, ...query.array_relationships].map(({ using }) => using);
  const modelName = typeof returns === "string" ? returns : field;
  return {
    field,
    columns,
    model: modelName,
    typeName: to.length > 0 ? field : modelName,
    related: {
      tables: to.flatMap((using) => ("remote_table" in using ? [keyOf(using.remote_table)] : [])),
      queries: to.flatMap((using) => ("remote_native_query" in using ? [using.remote_native_query] : [])),
    },
    roles: [...own.keys()],
    granted: (role) => granted(role),
  };
}

export function nativeQueriesOf(source: SourceMetadata, sets: ReadonlyMap<string, readonly string[]>): readonly DeclaredNativeQuery[] {
  return source.native_queries.map((query) => nativeQueryOf(query, source, sets));
}
