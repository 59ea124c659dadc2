import { unjoinableRelationships } from "../metadata/joins.ts";
import type { Rule } from "./rule.ts";

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
      return catalog === undefined
        ? []
        : unjoinableRelationships(source, catalog, ["sources", index]).map((found) => ({
            ...found,
            reason: `${found.table}.${found.name} cannot be joined: ${found.reason}`,
          }));
    }),
};
