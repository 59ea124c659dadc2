/**
 * Settings of the directory login. Without LDAP_URL there is none. Ready examples for OpenLDAP, Active Directory, FreeIPA and
 * lldap stand in docs/operate/ldap.md.
 * @module
 */
import { z } from "zod";
import { wholeNumber } from "../setting-types.ts";
import { filterProblem } from "./directory-filter.ts";
import { parseGroupRoles } from "./group-roles.ts";

const text = z.string().min(1, "must not be empty");
const attribute = (byDefault: string) =>
  z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9-]*$/, "must be the name of an attribute")
    .default(byDefault);
const truth = z
  .enum(["true", "false"], "must be true or false")
  .transform((value) => value === "true")
  .default(false);

function filter(places: readonly string[]) {
  return z.string().superRefine((value, context) => {
    const problem = filterProblem(value, places);
    if (problem !== undefined) context.addIssue(problem);
  });
}

const urls = z
  .string()
  .transform((value) => value.split(/[\s,]+/).filter((url) => url !== ""))
  .refine(
    (list) => list.length > 0 && list.every((url) => /^ldaps?:\/\/[^/?#@]+\/?$/.test(url) && URL.canParse(url)),
    "must be addresses that start with ldap:// or ldaps://",
  );

const roles = z
  .string()
  .transform((value, context) => {
    const lines = parseGroupRoles(value);
    if (lines === undefined) context.addIssue("must be lines such as operator: cn=noc,ou=groups,dc=example,dc=net; viewer: *");
    return lines ?? [];
  })
  .default([]);

export const ldapSettings = {
  LDAP_URL: urls.optional().describe("The directory's servers, tried in turn: ldap:// or ldaps://, parted by blanks or commas."),
  LDAP_STARTTLS: truth.describe("Starts TLS on ldap:// connections."),
  LDAP_PLAINTEXT: truth.describe("Allows ldap:// without StartTLS, which sends passwords readable."),
  LDAP_CA: text.optional().describe("PEM of the CA that the servers' certificates come from; the system's by default."),
  LDAP_BIND_DN: text.optional().describe("Account that searches; anonymous by default."),
  LDAP_BIND_PASSWORD: text.optional().describe("Its password."),
  LDAP_USER_BASE: text.optional().describe("Where accounts are searched, in the whole subtree."),
  LDAP_USER_FILTER: filter(["username"]).default("(mail={{username}})").describe("Finds the account of what was typed."),
  LDAP_ACTIVE_FILTER: filter([])
    .optional()
    .describe("What else an account must satisfy, at login and at each use of its session."),
  LDAP_ID_ATTRIBUTE: attribute("entryUUID").describe(
    "Names an account for ever; objectGUID for Active Directory, ipaUniqueID for FreeIPA.",
  ),
  LDAP_EMAIL_ATTRIBUTE: attribute("mail").describe("Its e-mail address."),
  LDAP_NAME_ATTRIBUTE: attribute("cn").describe("Its name."),
  LDAP_ORGANISATION_ATTRIBUTE: attribute("o").describe("Its organisation, for accounts with the role tenant."),
  LDAP_GROUP_BASE: text.optional().describe("Where groups are searched; without it the account's memberOf counts."),
  LDAP_GROUP_FILTER: filter(["dn"]).default("(member={{dn}})").describe("Finds the groups of an account."),
  LDAP_ROLES: roles.describe("Ordered list of role: group (DN or cn, * for all); the first that holds counts, else pending."),
  LDAP_TIMEOUT_MILLISECONDS: wholeNumber(100, 30_000, 3000).describe("Longest wait for one answer of a server."),
};

type LdapSettings = z.output<ReturnType<typeof z.object<typeof ldapSettings>>>;

/** What is wrong with the directory's settings taken together. */
export function ldapContradictions(settings: LdapSettings): string[] {
  const problems: string[] = [];
  const { LDAP_URL: servers } = settings;
  if ((settings.LDAP_BIND_DN === undefined) !== (settings.LDAP_BIND_PASSWORD === undefined))
    problems.push("LDAP_BIND_DN, LDAP_BIND_PASSWORD: give both or neither");
  if (servers === undefined) return problems;
  if (settings.LDAP_USER_BASE === undefined) problems.push("LDAP_USER_BASE: is required with LDAP_URL");
  const plain = servers.some((url) => url.startsWith("ldap://"));
  if (plain && !settings.LDAP_STARTTLS && !settings.LDAP_PLAINTEXT) {
    problems.push(
      "LDAP_URL: ldap:// sends passwords readable; use ldaps://, LDAP_STARTTLS=true or, if you must, LDAP_PLAINTEXT=true",
    );
  }
  return problems;
}
