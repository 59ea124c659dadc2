import { rolesWithPermission } from "@routeql/metadata/read/roles";
import { isSame } from "../diff/normal-form.ts";
import { verbs } from "../diff/widening.ts";
import {
  functionsOf,
  grantsOf,
  listed,
  type PlacedGrant,
  type PlacedWrite,
  verbOf,
  writesOf,
} from "../metadata/walk.ts";
import { type Examined, type Found, inPermission, type Rule } from "./rule.ts";

/** The parts of inherited roles that meet a condition, which `is` describes. */
function partsWhere(
  inherited: Examined["metadata"]["inherited_roles"],
  condition: (part: string) => boolean,
  is: string,
): readonly Found[] {
  return inherited.flatMap(({ role_name: role, role_set: parts }, index) =>
    parts.flatMap((name, position) => {
      const at = ["inherited_roles", index, "role_set", position];
      return condition(name) ? [{ at, role, name, reason: `${role} inherits from ${name}, which ${is}` }] : [];
    }),
  );
}

export const unknownPart: Rule = {
  id: "unknown-part",
  severity: "error",
  finds: "an inherited role that contains a role without any permission",
  why: "The contained role grants nothing: its name is misspelt, or the role was removed.",
  remedy: "correct the name in inherited_roles.yaml, or remove it",
  find: (examined) => {
    const {
      metadata: { inherited_roles: inherited },
      project: { whole },
    } = examined;
    // Permissions on unexamined objects count too.
    const known = new Set([...rolesWithPermission(whole.merged), ...inherited.map(({ role_name: role }) => role)]);
    return partsWhere(inherited, (part) => !known.has(part), "has no permission anywhere");
  },
};

/** The roles without inheritance that an inherited role contains at any depth. */
function partsOf(examined: Examined, role: string, seen: ReadonlySet<string> = new Set()): readonly string[] {
  const parts = examined.metadata.inherited_roles.find(({ role_name: name }) => name === role)?.role_set ?? [];
  return [
    ...new Set(
      parts.flatMap((part) => (seen.has(part) ? [] : [part, ...partsOf(examined, part, new Set([...seen, role]))])),
    ),
  ];
}

const isBeside = (one: PlacedGrant, other: PlacedGrant) =>
  one.kind === other.kind && one.source === other.source && one.key === other.key;

export const inheritanceOverridden: Rule = {
  id: "inheritance-overridden",
  severity: "warning",
  finds: "an inherited role with its own permission on a table on which a contained role has one too",
  why: "The permission replaces the inherited one. It can be wider than those of the contained roles, and later changes to them have no effect on it.",
  remedy: "remove the permission of the inherited role, or add an exception with the reason",
  find: (examined) => {
    const grants = grantsOf(examined);
    return examined.metadata.inherited_roles.flatMap(({ role_name: role }) => {
      const parts = partsOf(examined, role);
      return grants
        .filter(
          (grant) =>
            grant.role === role && grants.some((other) => parts.includes(other.role) && isBeside(other, grant)),
        )
        .map((grant) => {
          const own = `its own ${verbOf(grant.kind)} permission on ${grant.key}`;
          const reason = `${role} inherits from ${listed(parts)}, and has ${own}, which replaces theirs`;
          return inPermission(grant, undefined, reason);
        });
    });
  },
};

export const inheritanceConflict: Rule = {
  id: "inheritance-conflict",
  severity: "error",
  finds: "roles in an inherited role with different write permissions on the same table",
  why: "Hasura combines read permissions and does not combine write permissions. Where they differ, Hasura marks the metadata as inconsistent, and the inherited role cannot write to the table.",
  remedy: "give these roles the same permission, or give the inherited role its own permission",
  find: (examined) =>
    [...Map.groupBy(writesOf(examined), ({ kind, source, key }) => `${kind}\n${source}\n${key}`).values()].flatMap(
      (writes) =>
        examined.metadata.inherited_roles.flatMap(({ role_name: role }): Found[] => {
          if (writes.some((own) => own.role === role)) return [];
          const [first, ...others] = writesOfParts(role, writes, examined);
          const other = others.find(({ permission }) => !isSame(permission, first?.permission));
          if (first === undefined || other === undefined) return [];
          const reason = `${role} inherits from ${first.role} and ${other.role}, which may ${verbs[other.kind]} ${other.key} in different ways`;
          return [{ at: other.at, table: other.key, role, reason }];
        }),
    ),
};

/** Write permissions of the contained roles on a table, as Hasura resolves them: a role's own replaces inherited ones. */
function writesOfParts(
  role: string,
  writes: readonly PlacedWrite[],
  examined: Examined,
  seen: readonly string[] = [],
): readonly PlacedWrite[] {
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
  finds: "an inherited role that contains another inherited role",
  why: "In Hasura v2.46 such a role can read all rows and all columns of the contained roles, without their filters (hasura/graphql-engine#10711).",
  remedy:
    "list the roles of the inner role instead of its name; or verify your version with hasura-checks permissions --endpoint, and add an exception",
  find: ({ metadata: { inherited_roles: inherited } }) =>
    partsWhere(
      inherited,
      (part) => inherited.some(({ role_name: name }) => name === part),
      "is an inherited role itself",
    ),
};

/** Every role with a permission, of a table or a function, and every inherited role. */
export function rolesOf(examined: Examined): ReadonlySet<string> {
  return new Set([
    ...grantsOf(examined).map(({ role }) => role),
    ...functionsOf(examined).flatMap(({ entry }) => entry.permissions.map(({ role }) => role)),
    ...examined.metadata.inherited_roles.map(({ role_name: role }) => role),
  ]);
}
