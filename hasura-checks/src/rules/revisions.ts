import type { State } from "@routeql/engine/execution/state";
import { findBreakingChanges, findDangerousChanges } from "graphql";
import type { Direction } from "../diff/change.ts";
import { accessChanges } from "../diff/widening.ts";
import type { Rule } from "./rule.ts";

const changesOf =
  (wanted: Direction): Rule["find"] =>
  ({ base, ...examined }) =>
    (base === undefined ? [] : accessChanges(base, examined)).flatMap(({ direction, ...change }) =>
      direction === wanted ? [change] : [],
    );

export const widenedPermission: Rule = {
  id: "widened-permission",
  severity: "warning",
  needs: "base",
  finds: "a role that may read, write or call more than in the base revision",
  why: "No client fails because of a wider permission, so tests and users do not notice it.",
  remedy: "check that the change is intended; mention it in the pull request, or add an exception with the reason",
  find: changesOf("wider"),
};

export const changedPermission: Rule = {
  id: "changed-permission",
  severity: "warning",
  needs: "base",
  finds: "a change of a permission that this tool can call neither wider nor narrower",
  why: "It can be wider. The reason names the changed part.",
  remedy: "read the change; mention it in the pull request, or add an exception with the reason",
  find: changesOf("changed"),
};

/** Of `diff` alone: a narrower permission is no problem. */
export const narrowedPermission: Rule = {
  id: "narrowed-permission",
  severity: "note",
  needs: "base",
  finds: "a role that may read, write or call less than in the base revision",
  why: "Clients that need the permission fail.",
  remedy: "nothing, if no client needs it",
  find: changesOf("narrower"),
};

const schemaChangesOf =
  (wanted: SchemaChange["kind"]): Rule["find"] =>
  ({ base, state }) => {
    if (base?.state === undefined || state === undefined) return [];
    return schemaChanges(base.state, state)
      .filter(({ kind }) => kind === wanted)
      .map(({ role, reason }) => ({ at: ["sources"], role, reason }));
  };

export const breakingChange: Rule = {
  id: "breaking-change",
  severity: "error",
  needs: "base and database",
  finds: "a change of the GraphQL schema of a role that breaks documents that were valid in the base revision",
  why: "Clients receive errors as soon as the metadata is applied.",
  remedy: "keep the old name beside the new one until no client uses it, or add an exception with the reason",
  find: schemaChangesOf("breaking"),
};

/** Of `diff` alone. */
export const dangerousChange: Rule = {
  id: "dangerous-change",
  severity: "note",
  needs: "base and database",
  finds: "a change of the GraphQL schema of a role that clients may not expect",
  why: "Documents stay valid, and answers can have further values.",
  remedy: "nothing, if clients handle the change",
  find: schemaChangesOf("dangerous"),
};

export interface SchemaChange {
  readonly role: string;
  /** `breaking`: valid documents become invalid, or answers change their form. `dangerous`: clients may not expect the change. */
  readonly kind: "breaking" | "dangerous";
  readonly reason: string;
}

type Schemas = Pick<State, "roles" | "schema">;

/** Changes of the schema of each role. Both revisions use the same database. */
export function schemaChanges(before: Schemas, after: Schemas): readonly SchemaChange[] {
  return [...new Set([...before.roles, ...after.roles])].sort().flatMap((role) => {
    const [old, now] = [before.schema(role).schema, after.schema(role).schema];
    const said = (kind: SchemaChange["kind"], changes: readonly { readonly description: string }[]) =>
      gathered(changes.map(({ description }) => description.replace(/\.$/, ""))).map((reason): SchemaChange => ({
        role,
        kind,
        reason: `the schema of ${role}: ${reason}`,
      }));
    return [...said("breaking", findBreakingChanges(old, now)), ...said("dangerous", findDangerousChanges(old, now))];
  });
}

const patterns = [
  /^(?<type>\w+)\.(?<member>\w+) (?<what>.*)$/,
  /^(?<member>\w+) (?<what>was removed) from enum type (?<type>\w+)$/,
];

interface Change {
  readonly type: string;
  readonly member: string;
  readonly text: string;
}

function read(text: string): Change | undefined {
  const groups = patterns.map((pattern) => pattern.exec(text)?.groups).find((found) => found !== undefined);
  return groups === undefined ? undefined : { type: groups["type"] ?? "", member: groups["member"] ?? "", text };
}

/** A removed column disappears from several types of its table. It is reported once. */
function gathered(texts: readonly string[]): readonly string[] {
  const changes = texts.map((text) => ({ text, change: read(text) }));
  const owner = ({ type, member, text }: Change) =>
    changes.find(
      ({ change }) =>
        change !== undefined &&
        change.member === member &&
        change.text !== text &&
        type !== change.type &&
        type.startsWith(change.type) &&
        /removed/.test(text) &&
        /removed/.test(change.text),
    )?.change;
  return changes.flatMap(({ text, change }) => {
    if (change !== undefined && owner(change) !== undefined) return [];
    const made = changes.filter(
      (other) => other.change !== undefined && change !== undefined && owner(other.change)?.text === change.text,
    ).length;
    return [made === 0 ? text : `${text}, and in ${made} type${made === 1 ? "" : "s"} made from it`];
  });
}
