import { applicationRoles, isRoleName } from "@routeql/contract/roles";
import { ownValue, parseName } from "./distinguished-name.ts";
import { comparedName } from "./naming-attributes.ts";

/** One entry of the ordered list: members of a group have `role`. */
export interface GroupRole {
  readonly role: string;
  /** The group as written. */
  readonly group: string;
  /** `*` matches every account; a text with an equals sign is a DN (RFC 4514, 3), any other a group's cn. */
  readonly kind: "everyone" | "dn" | "cn";
  /** The group in the form in which names are compared. */
  readonly key: string;
}

/** A group of an account, as the directory names it. */
export interface Group {
  readonly dn: string;
  /** The cn in the DN, or else the entry's first one. */
  readonly cn: string | undefined;
}

const roles: readonly string[] = applicationRoles;

const example = "operator: cn=noc,ou=groups,dc=example,dc=net; viewer: *";

/** Reads `operator: cn=noc,ou=groups,dc=example,dc=net; viewer: *`, in order; also by line breaks. @returns the problem of other texts */
export function parseGroupRoles(text: string): readonly GroupRole[] | string {
  // A backslash before a semicolon makes it a character of the name.
  const lines = (text.match(/(?:\\[^\n]|[^;\n])+/g) ?? []).filter((line) => line.trim() !== "");
  if (lines.length === 0) return `must be lines such as ${example}`;
  const parsed: GroupRole[] = [];
  for (const [index, line] of lines.entries()) {
    const [, role = "", group = ""] = /^\s*([\w-]+)\s*:\s*(\S.*)$/s.exec(line) ?? [];
    if (!isRoleName(role)) return `must be lines such as ${example}; line ${index + 1} does not begin with a role`;
    const read = groupOf(group);
    if (read === undefined)
      return `has in line ${index + 1} a group that is not a DN: write a backslash before each , + " \\ < > ; of a value (RFC 4514)`;
    parsed.push({ role, ...read });
  }
  return parsed;
}

function groupOf(text: string): Omit<GroupRole, "role"> | undefined {
  const group = text.trim();
  if (group === "*") return { group, kind: "everyone", key: "" };
  if (!group.includes("=")) return { group, kind: "cn", key: comparedName(group.replaceAll("\\;", ";")) };
  const name = parseName(text);
  return name === undefined ? undefined : { group, kind: "dn", key: name.key };
}

/** Roles in the list that neither RouteQL nor the operator's metadata has. */
export const unknownRoles = (lines: readonly GroupRole[], own: readonly string[]): readonly string[] =>
  lines.map(({ role }) => role).filter((role) => !roles.includes(role) && !own.includes(role));

/** Whether `role` may have rights that `other` lacks; the rights of the operator's own roles are unknown. */
function mayGrantMore(role: string, other: string): boolean {
  if (role === other || role === "pending" || other === "operator") return false;
  return !roles.includes(role) || !roles.includes(other) || roles.indexOf(role) > roles.indexOf(other);
}

/** The problem of a `*` that may grant more than a line before it: an account whose group is missed would gain rights. */
export function openingProblem(lines: readonly GroupRole[], flag: string): string | undefined {
  const at = lines.findIndex(({ kind }) => kind === "everyone");
  const last = lines[at];
  const restricting = last && lines.slice(0, at).find(({ role }) => mayGrantMore(last.role, role));
  return restricting === undefined
    ? undefined
    : `gives everyone ${last!.role}, which may grant more than ${restricting.role} before it, so a missed group opens it: ` +
        `give * the role with the fewest rights, or set ${flag}`;
}

/** The problem of groups by cn when any entry of the directory may have that cn. */
export function unboundProblem(lines: readonly GroupRole[], base: string): string | undefined {
  const unbound = lines.find(({ kind }) => kind === "cn");
  return unbound === undefined
    ? undefined
    : `names the group ${unbound.group} by its cn, which a group anywhere in the directory may have: write its DN, or set ${base}`;
}

/** The problem of a line after `*`: its group would get the role of everyone, although the line may restrict it. */
export function unreachedProblem(lines: readonly GroupRole[]): string | undefined {
  const at = lines.findIndex(({ kind }) => kind === "everyone");
  const unreached = at === -1 ? undefined : lines[at + 1];
  return unreached === undefined
    ? undefined
    : `has the group ${unreached.group} after *, where no account reaches it, because the first match applies: write * last`;
}

/** The first matching line; undefined without one. */
export function lineOf(groups: readonly Group[], lines: readonly GroupRole[]): GroupRole | undefined {
  const dns = new Set(groups.map(({ dn }) => parseName(dn)?.key));
  const names = new Set(groups.flatMap(({ cn }) => (cn === undefined ? [] : [comparedName(cn)])));
  return lines.find(({ kind, key }) => kind === "everyone" || (kind === "dn" ? dns : names).has(key));
}

/** The role of the first matching line; without one `pending`, which has no access. */
export const roleOf = (groups: readonly Group[], lines: readonly GroupRole[]): string =>
  lineOf(groups, lines)?.role ?? "pending";

/** A group by the DN that the directory returned, and its cn where the directory returned one. */
export const groupNamed = (dn: string, cn?: string): Group => ({ dn, cn: ownValue(parseName(dn), "cn") ?? cn });
