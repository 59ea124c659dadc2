import { applicationRoles, isRoleName } from "@routeql/contract/roles";

/** One entry of the ordered list: members of `group` have `role`; `*` matches every account. */
export interface GroupRole {
  readonly role: string;
  /** A group's DN or its cn; a text with an equals sign is a DN (RFC 4514, 3). */
  readonly group: string;
}

export interface Group {
  readonly dn: string;
  readonly name: string;
}

/** Reads `operator: cn=noc,ou=groups,dc=example,dc=net; viewer: *`, in order; also by line breaks. @returns undefined for other forms */
export function parseGroupRoles(text: string): readonly GroupRole[] | undefined {
  const lines = text
    .split(/[;\n]/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const parsed = lines.map((line) => {
    const [, role = "", group = ""] = /^([\w-]+)\s*:\s*(.+)$/.exec(line) ?? [];
    return isRoleName(role) ? { role, group } : undefined;
  });
  return parsed.length > 0 && parsed.every((line) => line !== undefined) ? parsed : undefined;
}

/** Roles in the list that neither RouteQL nor the operator's metadata has. */
export const unknownRoles = (lines: readonly GroupRole[], own: readonly string[]): readonly string[] =>
  lines.map(({ role }) => role).filter((role) => ![...applicationRoles, ...own].includes(role));

/** The role of the first matching line; without one `pending`, which has no access. */
export function roleOf(groups: readonly Group[], lines: readonly GroupRole[]): string {
  const dns = new Set(groups.map(({ dn }) => folded(dn)));
  const names = new Set(groups.map(({ name }) => folded(name)));
  // An administrator of groups could name a group like another group's DN.
  const has = (group: string): boolean => (group.includes("=") ? dns : names).has(folded(group));
  return lines.find(({ group }) => group === "*" || has(group))?.role ?? "pending";
}

/** DNs compare without case and without the blanks around their separators (RFC 4517, 4.2.15, for the attributes used here). */
function folded(name: string): string {
  return name
    .toLowerCase()
    .replace(/\s*([,=+])\s*/g, "$1")
    .trim();
}
