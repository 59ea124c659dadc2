import { isDeepStrictEqual } from "node:util";
import type { MergedPath } from "../../../../engine/src/metadata/load.ts";
import { rolesWithPermission } from "../../../../engine/src/metadata/roles.ts";
import { type Examined, type Found, functionsOf, listed, permissionsOf, type Rule, writesOf } from "./rule.ts";

export const unknownPart: Rule = {
  id: "unknown-part",
  severity: "error",
  finds: "an inherited role made of a role that nothing else names",
  why: "The part grants nothing: a misspelt name, or a role that was removed.",
  remedy: "correct the name in inherited_roles.yaml, or remove the part",
  find: (examined) => {
    const { metadata: { inherited_roles: inherited }, project: { whole } } = examined;
    // Permissions on what is not examined are permissions too.
    const known = new Set([...rolesWithPermission(whole.merged), ...inherited.map(({ role_name: role }) => role)]);
    return inherited.flatMap(({ role_name: role, role_set: parts }, index) =>
      parts.flatMap((part, position) => (known.has(part) ? [] : [{ at: ["inherited_roles", index, "role_set", position], role, name: part, reason: `${role} inherits from ${part}, which has no permission anywhere` }])),
    );
  },
};

/** The roles that an inherited role is made of in the end. */
function partsOf(examined: Examined, role: string, seen: ReadonlySet<string> = new Set()): readonly string[] {
  const parts = examined.metadata.inherited_roles.find(({ role_name: name }) => name === role)?.role_set ?? [];
  return [...new Set(parts.flatMap((part) => (seen.has(part) ? [] : [part, ...partsOf(examined, part, new Set([...seen, role]))])))];
}

interface PlacedGrant {
  readonly kind: string;
  readonly source: string;
  readonly key: string;
  readonly role: string;
  readonly permission: unknown;
  readonly at: MergedPath;
}

const grantsOf = (examined: Examined): readonly PlacedGrant[] => [...permissionsOf(examined).map((placed) => ({ ...placed, kind: "select_permissions" })), ...writesOf(examined)];
const isBeside = (one: PlacedGrant, other: PlacedGrant) => one.kind === other.kind && one.source === other.source && one.key === other.key;
const verbOf = (kind: string) => kind.replace("_permissions", "");

export const inheritanceOverridden: Rule = {
  id: "inheritance-overridden",
  severity: "warning",
  finds: "an inherited role with a permission of its own where its parts have one too",
  why: "The permission takes the place of what the role would inherit there: it may be wider than all parts, and a later change of a part does not reach it.",
  remedy: "remove the permission of the inherited role, or except it with the reason",
  find: (examined) => {
    const grants = grantsOf(examined);
    return examined.metadata.inherited_roles.flatMap(({ role_name: role }) => {
      const parts = partsOf(examined, role);
      return grants
        .filter((grant) => grant.role === role && grants.some((other) => parts.includes(other.role) && isBeside(other, grant)))
        .map(({ kind, key, at }): Found => ({ at, table: key, role, reason: `${role} inherits from ${listed(parts)}, and has a ${verbOf(kind)} permission of its own on ${key}, which takes the place of theirs` }));
    });
  },
};

export const inheritanceConflict: Rule = {
  id: "inheritance-conflict",
  severity: "error",
  finds: "parts of an inherited role that may write the same table in different ways",
  why: "Permissions to write are not joined as those to read are: where the parts differ, Hasura marks the metadata as inconsistent, and the role may not write there at all.",
  remedy: "give the parts the same permission, or the inherited role one of its own",
  find: (examined) => {
    const writes = writesOf(examined);
    return examined.metadata.inherited_roles.flatMap(({ role_name: role }) => {
      const parts = partsOf(examined, role);
      return writes.flatMap((write, index): Found[] => {
        if (!parts.includes(write.role) || writes.some((own) => own.role === role && isBeside(own, write))) return [];
        const first = writes.slice(0, index).find((other) => parts.includes(other.role) && isBeside(other, write));
        if (first === undefined || isDeepStrictEqual(first.permission, write.permission)) return [];
        return [{ at: write.at, table: write.key, role, reason: `${role} inherits from ${first.role} and ${write.role}, which may ${verbOf(write.kind)} ${write.key} in different ways` }];
      });
    });
  },
};

/** Every role that a permission, a function or an inherited role names. */
export function rolesOf(examined: Examined): ReadonlySet<string> {
  return new Set([
    ...permissionsOf(examined).map(({ role }) => role),
    ...writesOf(examined).map(({ role }) => role),
    ...functionsOf(examined).flatMap(({ entry }) => entry.permissions.map(({ role }) => role)),
    ...examined.metadata.inherited_roles.map(({ role_name: role }) => role),
  ]);
}
