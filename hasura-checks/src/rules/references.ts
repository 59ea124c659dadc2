import { keyOf } from "@routeql/metadata/declared/tables";
import { unjoinableRelationships } from "../metadata/fitting.ts";
import { rolesOf } from "./inheritance.ts";
import { catalogAt, type Found, listed, type Rule, tablesOf } from "./rule.ts";

export const reference: Rule = {
  id: "reference",
  severity: "error",
  finds: "a reference to a table, column or function that does not exist",
  why: "Hasura marks the object as inconsistent and serves the rest: a role loses fields, or the deployment fails.",
  remedy: "correct the name, or add the missing migration",
  find: (examined) => [...unfit(examined), ...dangling(examined)],
};

/** With a database: the check of the engine. Reports causes only, and not the objects that depend on an inconsistent one. */
function unfit({ state }: Parameters<Rule["find"]>[0]): readonly Found[] {
  const found = (state?.inconsistencies ?? []).filter(({ kind }) => kind === "inconsistent");
  const names = new Set(found.map(({ name }) => name));
  return found
    .filter(({ reason }) => !names.has(usedBy(reason) ?? ""))
    .map(({ at, reason, name }) => ({ at, name, reason: `${name}: ${reason}` }));
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
        const constraint = using.foreign_key_constraint_on;
        const { manual_configuration: manual } = using;
        const remote =
          manual !== undefined && "remote_table" in manual
            ? manual.remote_table
            : constraint !== undefined && !Array.isArray(constraint)
              ? constraint.table
              : undefined;
        if (remote === undefined || tracked.has(`${source}\n${keyOf(remote)}`)) return [];
        const reason = `${key}.${name} refers to ${keyOf(remote)}, which is not tracked`;
        return [{ at: [...path, kind, index, "using"], table: key, name, reason }];
      }),
    ),
  );
}

export const roleSpelling: Rule = {
  id: "role-spelling",
  severity: "warning",
  finds: "roles whose names differ only by case or punctuation",
  why: "Role names are case-sensitive. The tokens carry one of the two spellings, and the permissions of the other one have no effect.",
  remedy: "use one spelling",
  find: (examined) => {
    const bySound = new Map<string, string[]>();
    for (const role of rolesOf(examined)) {
      const sound = role.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
      bySound.set(sound, [...(bySound.get(sound) ?? []), role]);
    }
    const placed = new Map(
      tablesOf(examined).flatMap(({ table, path }) =>
        table.select_permissions.map(
          ({ role }, index) => [role, [...path, "select_permissions", index, "role"]] as const,
        ),
      ),
    );
    return [...bySound.values()]
      .filter((roles) => roles.length > 1)
      .map((roles) => ({
        at: placed.get(roles.at(-1) ?? "") ?? ["inherited_roles"],
        role: roles.at(-1) ?? "",
        reason: `the roles ${listed(roles)} differ only in spelling`,
      }));
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
