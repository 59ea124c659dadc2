import type { MergedPath } from "@routeql/metadata/read/load";
import { rolesWithPermission } from "@routeql/metadata/read/roles";
import { isSame } from "../diff/normal-form.ts";
import { writingVerbs } from "../diff/widening.ts";
import { type Examined, type Found, functionsOf, listed, permissionsOf, type PlacedWrite, type Rule, writesOf } from "./rule.ts";

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
        .map(({ kind, key, at }): Found => ({ at, table: key, role, reason: `${role} inherits from ${listed(parts)}, and has its own ${verbOf(kind)} permission on ${key}, which takes the place of theirs` }));
    });
  },
};

export const inheritanceConflict: Rule = {
  id: "inheritance-conflict",
  severity: "error",
  finds: "parts of an inherited role that may write the same table in different ways",
  why: "Permissions to write are not joined as those to read are: where the parts differ, Hasura marks the metadata as inconsistent, and the role may not write there at all.",
  remedy: "give the parts the same permission, or the inherited role one of its own",
  find: (examined) =>
    [...Map.groupBy(writesOf(examined), ({ kind, source, key }) => `${kind}\n${source}\n${key}`).values()].flatMap((writes) =>
      examined.metadata.inherited_roles.flatMap(({ role_name: role }): Found[] => {
        if (writes.some((own) => own.role === role)) return [];
        const [first, ...others] = writesOfParts(role, writes, examined);
        const other = others.find(({ permission }) => !isSame(permission, first?.permission));
        if (first === undefined || other === undefined) return [];
        return [{ at: other.at, table: other.key, role, reason: `${role} inherits from ${first.role} and ${other.role}, which may ${writingVerbs[other.kind]} ${other.key} in different ways` }];
      }),
    ),
};

/** What each part of a role may write in one place, step by step as Hasura does: a part's own permission takes the place of what the part inherits, and where its parts differ it inherits nothing. */
function writesOfParts(role: string, writes: readonly PlacedWrite[], examined: Examined, seen: readonly string[] = []): readonly PlacedWrite[] {
  const parts = examined.metadata.inherited_roles.find(({ role_name: name }) => name === role)?.role_set ?? [];
  return parts.flatMap((part) => {
    const own = writes.find((write) => write.role === part);
    if (own !== undefined || seen.includes(part)) return own ?? [];
    const [first, ...others] = writesOfParts(part, writes, examined, [...seen, role]);
    return first !== undefined && others.every(({ permission }) => isSame(permission, first.permission)) ? [first] : [];
  });
}

export const nestedInheritedRole: Rule = {
  id: "nested-inherited-role",
  severity: "warning",
  finds: "an inherited role made of another inherited role",
  why: "Hasura v2.46 gave such a role all rows and all columns of its parts, whatever their filters (hasura/graphql-engine#10711).",
  remedy: "list the parts of the inner role instead of its name; or verify what your version serves with hasura-checks permissions --endpoint, and except it",
  find: ({ metadata: { inherited_roles: inherited } }) =>
    inherited.flatMap(({ role_name: role, role_set: parts }, index) =>
      parts.flatMap((part, position) => (inherited.some(({ role_name: name }) => name === part) ? [{ at: ["inherited_roles", index, "role_set", position], role, name: part, reason: `${role} inherits from ${part}, which is an inherited role itself` }] : [])),
    ),
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
