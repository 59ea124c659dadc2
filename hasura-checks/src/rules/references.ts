import { isOfCollection } from "./documents.ts";
import { keyOf } from "../declared/tables.ts";
import { unjoinableRelationships } from "../metadata/fitting.ts";
import { isFields } from "../metadata/conditions.ts";
import { rolesOf } from "./inheritance.ts";
import { catalogAt, grantsOf, namedTable, tablesOf } from "../metadata/walk.ts";
import type { Found, Rule } from "./rule.ts";

export const reference: Rule = {
  id: "reference",
  severity: "error",
  finds: "a reference to a table, column, function or query collection that does not exist",
  why: "Hasura marks the object as inconsistent and serves the rest: a role loses fields, or the deployment fails.",
  remedy: "correct the name, or add the missing migration",
  find: (examined) => [...unfit(examined), ...dangling(examined), ...missingCollections(examined)],
};

/** With a database: the check of the engine. Reports causes only, and not the objects that depend on an inconsistent one. */
function unfit({ state, metadata, catalogs }: Parameters<Rule["find"]>[0]): readonly Found[] {
  const empty = metadata.sources.flatMap(({ name, tables }, index): (Found & { readonly index: number })[] => {
    const catalog = catalogs?.[index];
    if (catalog === undefined || tables.length < 2 || tables.some(({ table }) => catalog.tables.has(keyOf(table))))
      return [];
    const reason = `the database of the source ${name} has none of the ${tables.length} tracked tables: the migrations are not applied`;
    return [
      { index, at: ["sources", index], name, reason, remedy: "apply the migrations, or name the right database" },
    ];
  });
  const found = (state?.inconsistencies ?? []).filter(
    ({ kind, at, type }) =>
      kind === "inconsistent" &&
      !isOfCollection({ type }) &&
      !empty.some(({ index }) => at[0] === "sources" && at[1] === index),
  );
  const names = new Set(found.map(({ name }) => name));
  return [
    ...empty.map(({ index: _index, ...each }) => each),
    ...found
      .filter(({ reason }) => !names.has(usedBy(reason) ?? ""))
      .map(({ at, reason, name }) => ({ at, name, reason: `${name}: ${reason}` })),
  ];
}

const uses = [
  /^(?<table>\S+) is not tracked$/,
  /^(?<table>\S+) has no (column, relationship or )?computed field (?<member>\S+)$/,
];

/** The object that a reason names as missing, by its name in the list of inconsistent objects. */
function usedBy(reason: string): string | undefined {
  const groups = uses.map((pattern) => pattern.exec(reason)?.groups).find((found) => found !== undefined);
  return groups === undefined
    ? undefined
    : [groups["table"], ...(groups["member"] === undefined ? [] : [groups["member"]])].join(".");
}

/** Without a database: relationships to tables that are not tracked. */
function dangling(examined: Parameters<Rule["find"]>[0]): readonly Found[] {
  if (examined.state !== undefined) return [];
  const tables = tablesOf(examined);
  const tracked = new Set(tables.map(({ source, key }) => `${source}\n${key}`));
  return tables.flatMap(({ source, table, key, path }) =>
    (["object_relationships", "array_relationships"] as const).flatMap((kind) =>
      table[kind].flatMap(({ name, using }, index): Found[] => {
        const remote = namedTable(using);
        if (remote === undefined || tracked.has(`${source}\n${remote}`)) return [];
        const reason = `${key}.${name} refers to ${remote}, which is not tracked`;
        return [{ at: [...path, kind, index, "using"], table: key, name, reason }];
      }),
    ),
  );
}

/** Collections and queries that the allow list or a REST endpoint names. */
function missingCollections({ metadata, project }: Parameters<Rule["find"]>[0]): readonly Found[] {
  const collections = new Map(
    metadata.query_collections.map(({ name, definition }) => [name, definition.queries.map((query) => query.name)]),
  );
  const allowed = metadata.allowlist.flatMap(({ collection }, index): readonly Found[] =>
    collections.has(collection)
      ? []
      : [
          {
            at: ["allowlist", index],
            name: collection,
            reason: `the allow list names the collection ${collection}, which does not exist`,
          },
        ],
  );
  const endpoints = project.loaded.merged["rest_endpoints"];
  const asked = (Array.isArray(endpoints) ? endpoints : []).flatMap((endpoint: unknown, index): readonly Found[] => {
    if (!isFields(endpoint) || !isFields(endpoint["definition"]) || !isFields(endpoint["definition"]["query"]))
      return [];
    const { collection_name: collection, query_name: query } = endpoint["definition"]["query"];
    if (collections.get(String(collection))?.includes(String(query)) === true) return [];
    const [name, what] = [
      String(endpoint["name"]),
      `the query ${String(query)} of the collection ${String(collection)}`,
    ];
    return [
      { at: ["rest_endpoints", index], name, reason: `the REST endpoint ${name} names ${what}, which does not exist` },
    ];
  });
  return [...allowed, ...asked];
}

const letters = (role: string) => role.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

/** Names shorter than this differ by one letter on purpose. */
const leastLength = 6;

/** Whether two names are equal apart from case, punctuation, and one letter that is missing or two that changed places. */
function isMisspelt(one: string, other: string): boolean {
  const [short, long] = [letters(one), letters(other)].toSorted((left, right) => left.length - right.length) as [
    string,
    string,
  ];
  if (short === long) return true;
  if (short.length < leastLength || long.length - short.length > 1) return false;
  const start = Array.from(short).findIndex((letter, index) => letter !== long[index]);
  // A further letter at the end is a plural or another name.
  if (start <= 0 || /\d/.test(long[start] ?? "")) return false;
  if (long.length > short.length) return short.slice(start) === long.slice(start + 1);
  const swapped = `${short.slice(0, start)}${short[start + 1] ?? ""}${short[start] ?? ""}${short.slice(start + 2)}`;
  return swapped === long;
}

export const roleSpelling: Rule = {
  id: "role-spelling",
  severity: "warning",
  finds: "roles whose names differ only by case, punctuation or one missing letter",
  why: "Role names are case-sensitive. The tokens carry one of the two spellings, and the permissions of the other one have no effect.",
  remedy: "use one spelling; add an exception if these are two roles",
  find: (examined) => {
    const roles = [...rolesOf(examined)];
    const placed = new Map(grantsOf(examined).map(({ role, at }) => [role, [...at.slice(0, -1), "role"]]));
    const placeOf = (role: string) => placed.get(role) ?? ["inherited_roles"];
    return roles.flatMap((role, index) => {
      const other = roles.slice(0, index).find((earlier) => isMisspelt(earlier, role));
      if (other === undefined) return [];
      return [{ at: placeOf(role), role, reason: `the roles ${other} and ${role} differ only in spelling` }];
    });
  },
};

export const noPrimaryKey: Rule = {
  id: "no-primary-key",
  severity: "warning",
  needs: "database",
  finds: "a tracked table without a primary key",
  why: "The table has no root field by key, client caches cannot identify its rows, and pagination can repeat or skip rows.",
  remedy: "add a primary key by a migration",
  find: (examined) =>
    tablesOf(examined).flatMap(({ key, path }) => {
      const found = catalogAt(examined, path)?.tables.get(key);
      return found?.kind === "table" && found.primaryKey === undefined
        ? [{ at: [...path, "table"], table: key, reason: `${key} is a table without a primary key` }]
        : [];
    }),
};

export const unjoinableRelationship: Rule = {
  id: "unjoinable-relationship",
  severity: "error",
  needs: "database",
  finds: "a relationship between columns that Postgres cannot compare",
  why: "Hasura accepts the relationship, and every query, filter and aggregate that uses it fails.",
  remedy: "give both columns the same type by a migration, or remove the relationship",
  find: ({ metadata, catalogs }) =>
    metadata.sources.flatMap((source, index) => {
      const catalog = catalogs?.[index];
      const found = catalog === undefined ? [] : unjoinableRelationships(source, catalog, ["sources", index]);
      return found.map(({ reason, ...place }) => {
        return { ...place, reason: `${place.table}.${place.name} cannot be joined: ${reason}` };
      });
    }),
};
