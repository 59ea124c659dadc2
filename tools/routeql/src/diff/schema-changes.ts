import { findBreakingChanges, findDangerousChanges } from "graphql";
import type { State } from "../../../../engine/src/execution/state.ts";

/** A change of a role's GraphQL schema. */
export interface SchemaChange {
  readonly role: string;
  /** `breaking`: documents that were valid are no longer, or answers get another form. `dangerous`: clients may not expect it. */
  readonly kind: "breaking" | "dangerous";
  readonly reason: string;
}

type Schemas = Pick<State, "roles" | "schema">;

/** What clients of each role would notice; both revisions are fitted to the same database. */
export function schemaChanges(before: Schemas, after: Schemas): readonly SchemaChange[] {
  return [...new Set([...before.roles, ...after.roles])].sort().flatMap((role) => {
    const [old, now] = [before.schema(role).schema, after.schema(role).schema];
    const said = (description: string) => `the schema of ${role}: ${description.replace(/\.$/, "")}`;
    return [
      ...findBreakingChanges(old, now).map(({ description }): SchemaChange => ({ role, kind: "breaking", reason: said(description) })),
      ...findDangerousChanges(old, now).map(({ description }): SchemaChange => ({ role, kind: "dangerous", reason: said(description) })),
    ];
  });
}
