import { accessChanges } from "../diff/widening.ts";
import { schemaChanges } from "../diff/schema-changes.ts";
import type { Rule } from "./rule.ts";

export const widenedPermission: Rule = {
  id: "widened-permission",
  severity: "warning",
  needs: "base",
  finds: "a role that may read, write or call more than in the base revision",
  why: "No client fails because of a wider permission, so tests and users do not notice it.",
  remedy: "check that the change is intended; mention it in the pull request, or add an exception with the reason",
  find: ({ base, ...examined }) =>
    base === undefined ? [] : accessChanges(base, examined).filter(({ direction }) => direction === "wider"),
};

export const breakingChange: Rule = {
  id: "breaking-change",
  severity: "error",
  needs: "base and database",
  finds: "a change of the GraphQL schema of a role that breaks documents that were valid in the base revision",
  why: "Clients receive errors as soon as the metadata is applied.",
  remedy: "keep the old name beside the new one until no client uses it, or add an exception with the reason",
  find: ({ base, state }) => {
    if (base?.state === undefined || state === undefined) return [];
    return schemaChanges(base.state, state)
      .filter(({ kind }) => kind === "breaking")
      .map(({ role, reason }) => ({ at: ["sources"], role, reason }));
  },
};
