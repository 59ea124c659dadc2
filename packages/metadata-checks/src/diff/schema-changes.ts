import { findBreakingChanges, findDangerousChanges } from "graphql";
import type { State } from "@routeql/engine/execution/state";

/** A change of a role's GraphQL schema. */
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
