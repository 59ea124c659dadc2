import { functionFields, Naming } from "@routeql/metadata/naming";
import { catalogAt, type Found, functionsOf, type PlacedTable, type Rule, tablesOf } from "./rule.ts";

const reserved = new Set(["_and", "_or", "_not", "_exists"]);

interface Claim extends Found {
  readonly field: string;
  readonly owner: string;
}

/** Two root fields with the same name. */
function rootFields(examined: Parameters<Rule["find"]>[0]): readonly Found[] {
  const claims = examined.metadata.sources.flatMap((source, index): Claim[] => {
    const naming = new Naming(source.customization, "hasura-default");
    if (naming.namespace !== undefined) return [];
    const tables = tablesOf(examined).filter(({ path }) => path[1] === index);
    const functions = functionsOf(examined).filter(({ path }) => path[1] === index);
    return [
      ...tables.flatMap(({ table, key, path }) => {
        const base = naming.base(table.configuration?.custom_name, table.table).field;
        const custom = table.configuration?.custom_root_fields;
        const claim = (
          kind: "select" | "select_by_pk" | "select_aggregate" | "select_stream",
          suffix?: string,
        ): Claim => ({
          at: [...path, "table"],
          table: key,
          owner: key,
          field: naming.rootField(
            custom?.[kind]?.name ?? (suffix === undefined ? base : naming.suffixed(base, suffix)),
          ),
          reason: "",
        });
        return [
          claim("select"),
          claim("select_by_pk", "by_pk"),
          claim("select_aggregate", "aggregate"),
          claim("select_stream", "stream"),
        ];
      }),
      ...functions.map(({ entry, key, path }): Claim => ({
        at: [...path, "function"],
        name: key,
        owner: `the function ${key}`,
        field: naming.rootField(functionFields(entry, naming).rows),
        reason: "",
      })),
    ];
  });
  return claims.flatMap((claim, index) => {
    const earlier = claims.slice(0, index).find(({ field, owner }) => field === claim.field && owner !== claim.owner);
    return earlier === undefined
      ? []
      : [{ ...claim, reason: `${claim.owner} and ${earlier.owner} both have the root field ${claim.field}` }];
  });
}

/** Within a table: a column with the name of another column, a relationship or an operator. */
function fields({ table, key, path }: PlacedTable, columns: readonly string[]): readonly Found[] {
  const config = table.configuration;
  const renamed = [
    ...Object.entries(config?.column_config ?? {}).flatMap(([column, { custom_name: name }]) =>
      name === undefined || name === null ? [] : [[column, name, "column_config"] as const],
    ),
    ...Object.entries(config?.custom_column_names ?? {}).map(
      ([column, name]) => [column, name, "custom_column_names"] as const,
    ),
  ];
  const away = new Set(renamed.map(([column]) => column));
  const shadowing = renamed
    .filter(
      ([column, name]) =>
        name !== column &&
        columns.includes(name) &&
        !renamed.some(([other, given]) => other === name && given === name),
    )
    .map(([column, name, where]): Found => ({
      at: [...path, "configuration", where, column],
      table: key,
      name,
      reason: `${key}.${column} is called ${name}, which is the name of another column${away.has(name) ? " (which has another name)" : ""}`,
    }));
  const relationships = [
    ...table.object_relationships.map((entry, index) => [entry.name, "object_relationships", index] as const),
    ...table.array_relationships.map((entry, index) => [entry.name, "array_relationships", index] as const),
  ];
  const computed = table.computed_fields.map((entry, index) => [entry.name, "computed_fields", index] as const);
  const hiding = [...relationships, ...computed]
    .filter(([name]) => columns.includes(name) && !away.has(name))
    .map(([name, kind, index]): Found => ({
      at: [...path, kind, index, "name"],
      table: key,
      name,
      reason: `${key} has the column ${name}, and ${kind.replaceAll("_", " ").replace(/s$/, "")} ${name} hides it`,
    }));
  const special = [
    ...columns.filter((column) => !away.has(column)),
    ...relationships.map(([name]) => name),
    ...computed.map(([name]) => name),
  ]
    .filter((name) => reserved.has(name))
    .map((name): Found => ({
      at: [...path, "table"],
      table: key,
      name,
      reason: `${key}.${name} has the name of an operator of conditions`,
    }));
  const aggregates = relationships
    .filter(([name]) =>
      relationships.some(([other, kind]) => kind === "array_relationships" && name === `${other}_aggregate`),
    )
    .map(([name, kind, index]): Found => ({
      at: [...path, kind, index, "name"],
      table: key,
      name,
      reason: `${key}.${name} is also the name of another relationship's aggregate`,
    }));
  return [...shadowing, ...hiding, ...special, ...aggregates];
}

export const shadowedName: Rule = {
  id: "shadowed-name",
  severity: "error",
  finds: "two root fields, columns, relationships or computed fields with the same name",
  why: "A query for one of them returns the other, or Hasura drops one of them. A reviewer can also misread a permission that uses the name.",
  remedy: "give one of the two another name (custom_name, custom_root_fields, column_config)",
  find: (examined) => [
    ...rootFields(examined),
    ...tablesOf(examined).flatMap((placed) => {
      const known = catalogAt(examined, placed.path)?.tables.get(placed.key)?.columns.keys();
      const granted = placed.table.select_permissions.flatMap(({ permission }) =>
        permission.columns === "*" ? [] : permission.columns,
      );
      return fields(placed, [...new Set(known ?? granted)]);
    }),
  ],
};
