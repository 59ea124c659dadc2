import { functionFields, Naming, rootFieldNames } from "@routeql/metadata/naming";
import type { MergedPath } from "@routeql/metadata/read/load";
import { catalogAt, functionsOf, type PlacedTable, tablesOf } from "../metadata/walk.ts";
import type { Found, Rule } from "./rule.ts";

const reserved = new Set(["_and", "_or", "_not", "_exists"]);

/** Two root fields with the same name. */
function rootFields(examined: Parameters<Rule["find"]>[0]): readonly Found[] {
  return examined.metadata.sources.flatMap((source, index): readonly Found[] => {
    const naming = new Naming(source.customization, "hasura-default");
    if (naming.namespace !== undefined) return [];
    const isOwn = ({ path }: { readonly path: MergedPath }) => path[1] === index;
    const claims = [
      ...tablesOf(examined)
        .filter(isOwn)
        .flatMap(({ table, key, path }) => {
          const names = rootFieldNames(table, naming.base(table.configuration?.custom_name, table.table), naming);
          const place = { at: [...path, "table"], table: key };
          return Object.values(names).map((field) => ({ field, owner: key, place }));
        }),
      ...functionsOf(examined)
        .filter(isOwn)
        .map(({ entry, key, path }) => ({
          field: naming.rootField(functionFields(entry, naming).rows),
          owner: `the function ${key}`,
          place: { at: [...path, "function"], name: key },
        })),
    ];
    return claims.flatMap(({ field, owner, place }, position) => {
      const earlier = claims.slice(0, position).find((other) => other.field === field && other.owner !== owner);
      if (earlier === undefined) return [];
      return [{ ...place, reason: `${owner} and ${earlier.owner} both have the root field ${field}` }];
    });
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
  const kinds = ["object_relationships", "array_relationships", "computed_fields"] as const;
  const members = kinds.flatMap((kind) => table[kind].map(({ name }, index) => ({ name, kind, index })));
  const ofMember = ({ name, kind, index }: (typeof members)[number], reason: string): Found => {
    return { at: [...path, kind, index, "name"], table: key, name, reason };
  };
  const hiding = members
    .filter(({ name }) => columns.includes(name) && !away.has(name))
    .map((member) => {
      const what = member.kind.replaceAll("_", " ").replace(/s$/, "");
      return ofMember(member, `${key} has the column ${member.name}, and ${what} ${member.name} hides it`);
    });
  const special = [...columns.filter((column) => !away.has(column)), ...members.map(({ name }) => name)]
    .filter((name) => reserved.has(name))
    .map((name): Found => {
      return {
        at: [...path, "table"],
        table: key,
        name,
        reason: `${key}.${name} has the name of an operator of conditions`,
      };
    });
  const lists = new Set(table.array_relationships.map(({ name }) => `${name}_aggregate`));
  const aggregates = members
    .filter(({ kind, name }) => kind !== "computed_fields" && lists.has(name))
    .map((member) => ofMember(member, `${key}.${member.name} is also the name of another relationship's aggregate`));
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
