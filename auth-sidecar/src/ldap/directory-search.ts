import { AndFilter, type Entry, EqualityFilter, type Filter } from "ldapts";
import type { DirectoryConnection, DirectorySettings } from "./directory-connection.ts";
import {
  binaryNames,
  type DirectoryEntry,
  endAttributes,
  type EntryAttributes,
  nextRange,
  values,
} from "./directory-entries.ts";
import { isSameValue, ownValue, parseName } from "@routeql/sidecar-settings/distinguished-name";
import { type Group, groupNamed } from "@routeql/sidecar-settings/group-roles";
import { DirectoryProblem } from "./directory-problems.ts";

/** Attributes of accounts in Active Directory. */
const [primaryGroupId, securityId] = ["primaryGroupID", "objectSid"] as const;

/** LDAP_MATCHING_RULE_IN_CHAIN of Active Directory ([MS-ADTS] 3.1.1.3.4.4.3), by which a filter includes nested groups. */
const nestedMembers = "1.2.840.113556.1.4.1941";

/** An account with more groups than one answer may have gets them in pages (RFC 2696). */
const sizeLimitExceeded = 4;
/** Below the limits of common directories, such as MaxPageSize 1,000 of Active Directory. */
const pageSize = 200;

/** Rounds of 1,500 values. */
const mostRanges = 20;

export const attributesOf = (settings: DirectorySettings): EntryAttributes => ({
  id: settings.LDAP_ID_ATTRIBUTE,
  email: settings.LDAP_EMAIL_ATTRIBUTE,
  name: settings.LDAP_NAME_ATTRIBUTE,
  organisation: settings.LDAP_ORGANISATION_ATTRIBUTE,
  passwordTime: settings.LDAP_PASSWORD_TIME_ATTRIBUTE,
});

/** Finds accounts: at most two, because a second one makes the name ambiguous. Continuations to other servers are not followed. */
export async function findAccounts(
  connection: DirectoryConnection,
  settings: DirectorySettings,
  filter: Filter,
  activeFilter = settings.LDAP_ACTIVE_FILTER?.filled(),
): Promise<Entry[]> {
  const attributes = attributesOf(settings);
  const filters = activeFilter === undefined ? [filter] : [filter, activeFilter];
  const { searchEntries } = await connection.search("accounts", settings.LDAP_USER_BASE, {
    scope: "sub",
    filter: filters.length === 1 ? filter : new AndFilter({ filters }),
    attributes: [
      ...new Set([
        ...Object.values(attributes),
        "memberOf",
        primaryGroupId,
        securityId,
        ...endAttributes,
        ...settings.LDAP_GROUP_FILTER.places,
      ]),
    ].filter((name) => name !== undefined && name !== "dn"),
    explicitBufferAttributes: [...binaryNames(attributes.id), ...binaryNames(securityId)],
    sizeLimit: 2,
  });
  return searchEntries;
}

/** The groups of an account: by a search below LDAP_GROUP_BASE, or from its memberOf. */
export async function groupsOf(
  connection: DirectoryConnection,
  settings: DirectorySettings,
  account: DirectoryEntry,
): Promise<Group[]> {
  const { LDAP_GROUP_BASE: base, LDAP_GROUP_FILTER: template } = settings;
  const primary = await primaryGroup(connection, settings, account);
  if (base === undefined) return [...(await memberOf(connection, account)).map((dn) => groupNamed(dn)), ...primary];
  const matching = async (filter: Filter): Promise<Group[]> => {
    const search = (paged: boolean | { readonly pageSize: number }) =>
      connection.search("groups", base, { scope: "sub", filter, attributes: ["cn"], paged });
    const { searchEntries } = await search(false).catch((error: unknown) => {
      if (error instanceof DirectoryProblem && error.code === sizeLimitExceeded) return search({ pageSize });
      throw error;
    });
    return searchEntries.map((group) => groupNamed(group.dn, values(group, "cn")[0]));
  };
  const found = await matching(template.filled(placeValues(account, template.places)));
  const [group] = primary;
  // Groups that contain the primary group, for a filter that includes nested groups. With another one they would give rights of nested groups.
  const around =
    group !== undefined && template.rules.has(nestedMembers) && template.places.every((place) => place === "dn")
      ? await matching(template.filled({ dn: group.dn }))
      : [];
  return [...found, ...primary, ...around];
}

/** Active Directory names the primary group of an account, such as Domain Users, neither in memberOf nor among the members of the group. */
async function primaryGroup(
  connection: DirectoryConnection,
  settings: DirectorySettings,
  { dn, entry }: DirectoryEntry,
): Promise<Group[]> {
  const [[id = ""], [own = ""]] = [values(entry, primaryGroupId), values(entry, securityId)];
  const { domain = [] } = parseName(dn) ?? {};
  const isDomain = domain.length > 0 && domain.every((label) => /^[\w-]+$/.test(label));
  const base = settings.LDAP_GROUP_BASE ?? (isDomain ? domain.map((label) => `DC=${label}`).join(",") : undefined);
  if (!/^\d{1,9}$/.test(id) || !/^01(?:..){27,}$/.test(own) || base === undefined) return [];
  // The id of the domain, and the number of the group in it ([MS-DTYP] 2.4.2.2).
  const value = Buffer.from(own, "hex");
  value.writeUInt32LE(Number(id), value.length - 4);
  const { searchEntries } = await connection.search("groups", base, {
    scope: "sub",
    filter: new EqualityFilter({ attribute: securityId, value }),
    attributes: ["cn"],
    sizeLimit: 2,
  });
  return searchEntries.map((group) => groupNamed(group.dn, values(group, "cn")[0]));
}

/** Values for `{{dn}}` and the attributes in the filter of groups. @throws {DirectoryProblem} for an account without one */
function placeValues({ dn, entry }: DirectoryEntry, places: readonly string[]): Record<string, string> {
  const name = parseName(dn);
  const valueOf = (attribute: string): string => {
    const found = values(entry, attribute);
    // An account may have several names. The one in its DN is its own; a person who may add others must not gain groups by them.
    const own = ownValue(name, attribute);
    // In the spelling of the attribute, because memberUid compares with case although uid does not.
    const spelled = own === undefined ? found : found.filter((one) => isSameValue(attribute, one, own));
    const value = spelled.length === 1 ? spelled[0] : own;
    if (value === undefined)
      throw new DirectoryProblem(
        `The search for groups failed: the account has ${found.length} values of ${attribute}, and LDAP_GROUP_FILTER needs one`,
      );
    return value;
  };
  return Object.fromEntries(places.map((place) => [place, place === "dn" ? dn : valueOf(place)]));
}

/** @throws {DirectoryProblem} for an incomplete answer, because the missing group may be one that restricts the role */
async function memberOf(connection: DirectoryConnection, { dn, entry }: DirectoryEntry): Promise<string[]> {
  const found = values(entry, "memberOf");
  let range = nextRange(entry, "memberOf");
  if (range === undefined) return found;
  for (let round = 0; ; round++) {
    if (range === undefined || range.values.length === 0)
      throw new DirectoryProblem(
        "The search for groups failed: the rest of memberOf is missing; let LDAP_BIND_DN read the account, or see the log of the directory",
      );
    found.push(...range.values);
    if (range.next === undefined) return found;
    if (round === mostRanges)
      throw new DirectoryProblem("The search for groups failed: the account has too many groups");
    const { searchEntries } = await connection.search("groups", dn, { scope: "base", attributes: [range.next] });
    range = searchEntries[0] === undefined ? undefined : nextRange(searchEntries[0], "memberOf");
  }
}
