import type { DeclaredTable, Operation } from "@routeql/metadata/declared/declared";

/** One way to use a column. */
export interface Probe {
  readonly use: string;
  readonly document: string;
  /** Whether Postgres must order or compare values, which it cannot do for json. */
  readonly compares: boolean;
}

/** Root field of an operation, and the kind of its document. */
export function rootOf(table: DeclaredTable, operation: Operation): { kind: "query" | "subscription"; field: string } {
  const root =
    operation === "stream"
      ? "select_stream"
      : operation.endsWith("aggregate")
        ? "select_aggregate"
        : operation.endsWith("by key")
          ? "select_by_pk"
          : "select";
  return { kind: operation.startsWith("query") ? "query" : "subscription", field: table.roots[root] };
}

/** @param cursor a value of the column's type as GraphQL text */
export function columnProbes(
  table: DeclaredTable,
  operation: Operation,
  column: string,
  cursor: string,
): readonly Probe[] {
  const { kind, field } = rootOf(table, operation);
  const probe = (use: string, args: string, selection: string, compares = false): Probe => ({
    use,
    document: `${kind} { ${field}${args} { ${selection} } }`,
    compares,
  });
  if (operation === "stream") {
    const anywhere = 'batch_size: 1, cursor: {initial_value: {type: ""}}';
    return [
      probe("selected", `(${anywhere})`, column),
      probe("in where", `(${anywhere}, where: {${column}: {_is_null: false}})`, "__typename"),
      probe("as cursor", `(batch_size: 1, cursor: {initial_value: {${column}: ${cursor}}})`, "__typename", true),
    ];
  }
  if (operation.endsWith("by key")) return [probe("selected", "", column)];
  const aggregate = operation.endsWith("aggregate");
  const any = aggregate ? "nodes { __typename }" : "__typename";
  return [
    probe("selected", "(limit: 1)", aggregate ? `nodes { ${column} }` : column),
    probe("in where", `(limit: 1, where: {${column}: {_is_null: false}})`, any),
    probe("deep in where", `(limit: 1, where: {_not: {_or: [{_and: [{${column}: {_is_null: true}}]}]}})`, any),
    probe("in order_by", `(limit: 1, order_by: {${column}: desc})`, any, true),
    probe("in distinct_on", `(limit: 1, distinct_on: [${column}])`, any, true),
    ...(aggregate ? [probe("counted", "", `aggregate { count(columns: [${column}]) }`)] : []),
  ];
}

/** Ways to use a column of the relationship's target table. */
export function relationshipProbes(
  table: DeclaredTable,
  relationship: DeclaredTable["relationships"][number],
  column: string,
): readonly Probe[] {
  const { name, kind } = relationship;
  const probe = (use: string, args: string, selection: string, compares = false): Probe => ({
    use,
    document: `query { ${table.rootField}(limit: 1${args}) { ${selection} } }`,
    compares,
  });
  const both = [
    probe("selected", "", `${name} { ${column} }`),
    probe("in where", `, where: {${name}: {${column}: {_is_null: false}}}`, "__typename"),
  ];
  if (kind === "object")
    return [...both, probe("in order_by", `, order_by: {${name}: {${column}: asc}}`, "__typename", true)];
  return [
    ...both,
    probe("in the list's where", "", `${name}(where: {${column}: {_is_null: false}}) { __typename }`),
    probe("in the list's order_by", "", `${name}(order_by: {${column}: asc}) { __typename }`, true),
    probe("in the list's distinct_on", "", `${name}(distinct_on: [${column}]) { __typename }`, true),
  ];
}

/** The same for aggregates over an array relationship. */
export function aggregateProbes(
  table: DeclaredTable,
  relationship: DeclaredTable["relationships"][number],
  column: string,
): readonly Probe[] {
  const field = `${relationship.name}_aggregate`;
  const probe = (use: string, args: string, selection: string): Probe => ({
    use,
    document: `query { ${table.rootField}(limit: 1${args}) { ${selection} } }`,
    compares: false,
  });
  const isNull = `{${column}: {_is_null: false}}`;
  return [
    probe("counted", "", `${field} { aggregate { count(columns: [${column}]) } }`),
    probe("in nodes", "", `${field} { nodes { ${column} } }`),
    probe("in the aggregate's where", "", `${field}(where: ${isNull}) { aggregate { count } }`),
    probe(
      "in a predicate's filter",
      `, where: {${field}: {count: {predicate: {_gte: 0}, filter: ${isNull}}}}`,
      "__typename",
    ),
    probe(
      "in a predicate's arguments",
      `, where: {${field}: {count: {predicate: {_gte: 0}, arguments: [${column}]}}}`,
      "__typename",
    ),
  ];
}
