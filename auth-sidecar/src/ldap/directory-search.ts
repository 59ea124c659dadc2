import { AndFilter, type Entry, type Filter, FilterParser } from "ldapts";
import type { DirectoryConnection, DirectorySettings } from "./directory-connection.ts";
import { binaryNames, type DirectoryEntry, type EntryAttributes, nextRange, values } from "./directory-entries.ts";
import { filledFilter, placesOf } from "@routeql/sidecar-settings/directory-filter";
import { ownValue, parseName } from "@routeql/sidecar-settings/distinguished-name";
import { type Group, groupNamed } from "@routeql/sidecar-settings/group-roles";
import { DirectoryProblem } from "./result-codes.ts";

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
  activeFilter = settings.LDAP_ACTIVE_FILTER,
): Promise<Entry[]> {
  const attributes = attributesOf(settings);
  const filters = activeFilter === undefined ? [filter] : [filter, FilterParser.parseString(activeFilter)];
  const { searchEntries } = await connection.search("accounts", settings.LDAP_USER_BASE, {
    scope: "sub",
    filter: filters.length === 1 ? filter : new AndFilter({ filters }),
    attributes: [
      ...new Set([...Object.values(attributes), "memberOf", ...placesOf(settings.LDAP_GROUP_FILTER)]),
    ].filter((name) => name !== undefined && name !== "dn"),
    explicitBufferAttributes: [...binaryNames(attributes.id)],
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
  if (base === undefined) return (await memberOf(connection, account)).map((dn) => groupNamed(dn));
  const { searchEntries } = await connection.search("groups", base, {
    scope: "sub",
    filter: filledFilter(template, placeValues(account, template)),
    attributes: ["cn"],
  });
  return searchEntries.map((group) => groupNamed(group.dn, values(group, "cn")[0]));
}

/** Values for `{{dn}}` and the attributes in the filter of groups. @throws {DirectoryProblem} for an account without one */
function placeValues({ dn, entry }: DirectoryEntry, template: string): Record<string, string> {
  const name = parseName(dn);
  const valueOf = (attribute: string): string => {
    const found = values(entry, attribute);
    // An account may have several names. The one in its DN is its own; a person who may add others must not gain groups by them.
    const value = ownValue(name, attribute) ?? (found.length === 1 ? found[0] : undefined);
    if (value === undefined)
      throw new DirectoryProblem(
        `The search for groups failed: the account has ${found.length} values of ${attribute}, and LDAP_GROUP_FILTER needs one`,
      );
    return value;
  };
  return Object.fromEntries(placesOf(template).map((place) => [place, place === "dn" ? dn : valueOf(place)]));
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
