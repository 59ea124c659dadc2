import type { MergedPath } from "@routeql/metadata/read/load";
import { argumentsTypeName, inputTypeNames, rowTypeName } from "./native-types.ts";
import { objectTypeAt, type Report } from "./report.ts";
import type { ResolvedSource } from "./resolve.ts";

interface NamedType {
  readonly name: string;
  readonly owner: string;
  readonly path: MergedPath;
}

/** Types of native queries; Hasura adds the source's prefix and suffix to only a few of them. */
export function nativeTypes(source: ResolvedSource): readonly NamedType[] {
  const queries = [...source.nativeQueries.values()];
  const related = [...queries, ...source.tables.values()].flatMap(({ nativeRelationships, path }) =>
    [...nativeRelationships.values()].map(({ name, query }) => ({ name, query, path })),
  );
  return [
    ...source.models.flatMap((model) => Object.values(inputTypeNames(model, source)).map((name) => ({ name, owner: model.key, path: model.path }))),
    ...queries.map((query) => {
      const name = rowTypeName(query);
      return { name, owner: name === query.model.name ? query.model.key : `the native query ${query.name}`, path: query.path };
    }),
    ...[...queries.map((query) => ({ name: query.name, query, path: query.path })), ...related]
      .filter(({ query }) => query.arguments.length > 0)
      .map(({ name, query, path }) => ({ name: argumentsTypeName(name), owner: `the arguments of the native query ${query.name}`, path })),
  ];
}

const tableSuffixes = [undefined, "aggregate", "aggregate_fields", "aggregate_order_by", "bool_exp", "order_by", "select_column", "stream_cursor_input", "stream_cursor_value_input"];

/** A type name is unique within a source. Two native queries may share a logical model, and fields of one name a native query. */
export function checkNativeTypes(source: ResolvedSource, report: Report): void {
  const owners = new Map<string, string>();
  for (const table of source.tables.values()) for (const suffix of tableSuffixes) owners.set(source.naming.type(table.names, suffix), table.key);
  for (const { name, owner, path } of nativeTypes(source)) {
    const other = owners.get(name);
    if (other === undefined) owners.set(name, owner);
    else if (other !== owner) report(path, objectTypeAt(path), owner, `${owner} would define the type ${name}, which ${other} defines`);
  }
}
