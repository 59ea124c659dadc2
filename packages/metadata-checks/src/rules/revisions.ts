import { accessChanges } from "../diff/widening.ts";
import { schemaChanges } from "../diff/schema-changes.ts";
import type { Rule } from "./rule.ts";

export const widenedPermission: Rule = {
  id: "widened-permission",
  severity: "warning",
  needs: "base",
  finds: "a role that may read, write or call more than in the base revision",
  why: "A wider permission is the one change of metadata that no client complains about.",
  remedy: "check that it is meant; say so in the pull request, or except it in hasura-checks.yaml with the reason",
  find: ({ base, ...examined }) => (base === undefined ? [] : accessChanges(base, examined).filter(({ direction }) => direction === "wider")),
};

export const breakingChange: Rule = {
  id: "breaking-change",
  severity: "error",
  needs: "base and database",
  finds: "a change of a role's GraphQL schema that breaks documents which were valid in the base revision",
  why: "Clients in the field get errors from the moment the metadata are applied.",
  remedy: "keep the old name beside the new one until no client asks for it, or except it in hasura-checks.yaml with the reason",
  find: ({ base, state }) => {
    if (base?.state === undefined || state === undefined) return [];
    return schemaChanges(base.state, state)
      .filter(({ kind }) => kind === "breaking")
      .map(({ role, reason }) => ({ at: ["sources"], role, reason }));
  },
};
