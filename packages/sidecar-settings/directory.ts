/** Settings of the directory login; without LDAP_URL there is none. docs/operate/ldap.md has ready examples. */
import { z } from "zod";
import { directoryFilter, groupFilter } from "./directory-filter.ts";
import { allowedUrls, directoryUrlsOf, directoryUrlsProblem } from "./directory-url.ts";
import { openingProblem, parseGroupRoles, unknownRoles } from "./group-roles.ts";
import type { FilterTemplate } from "./search-filter.ts";

const text = z.string().min(1, "must not be empty");
const attributeName = /^[A-Za-z][A-Za-z0-9-]*$/;
const attributeProblem = "must be the name of an attribute";
const attribute = (byDefault: string, description: string) =>
  z
    .string()
    .regex(attributeName, attributeProblem)
    .default(byDefault)
    .meta({ description, allowed: "the name of an attribute" });
const truth = z
  .enum(["true", "false"], "must be true or false")
  .transform((value) => value === "true")
  .default(false);

/** Read here, so that each login uses the filter that was checked. */
const filter = (read: (text: string) => FilterTemplate | string) =>
  z.string().transform((text, context) => {
    const found = read(text);
    if (typeof found !== "string") return found;
    context.addIssue(found);
    return z.NEVER;
  });

const urls = z
  .string()
  .transform(directoryUrlsOf)
  .superRefine((list, context) => {
    const problem = directoryUrlsProblem(list);
    if (problem !== undefined) context.addIssue(problem);
  });

const roles = z
  .string()
  .transform((value, context) => {
    const lines = parseGroupRoles(value);
    if (typeof lines !== "string") return lines;
    context.addIssue(lines);
    return [];
  })
  .default([]);

/** The deployment takes check, default and texts of each from here; `allowed` is the form of a value in its reference. */
export const ldapSettings = {
  LDAP_URL: urls
    .optional()
    .meta({ description: "LDAP servers, tried in order, separated by spaces or commas.", allowed: allowedUrls }),
  LDAP_STARTTLS: truth.describe("Start TLS on ldap:// connections."),
  LDAP_PLAINTEXT: truth.describe("Allow ldap:// without StartTLS, which sends passwords in clear text."),
  LDAP_CA: text.optional().describe("Certificate authority (PEM) of the LDAP servers, if it is not public."),
  LDAP_BIND_DN: text.optional().describe("DN of the account that searches the directory."),
  LDAP_BIND_PASSWORD: text.optional().describe("Password of the search account."),
  LDAP_USER_BASE: text.optional().describe("Base DN of accounts; required for the LDAP login."),
  LDAP_USER_FILTER: filter((text) => directoryFilter(text, ["username"]))
    .prefault("(mail={{username}})")
    .meta({
      description: "Filter that finds an account by the name that the user enters.",
      allowed: "a filter with {{username}}",
    }),
  LDAP_ACTIVE_FILTER: filter((text) => directoryFilter(text, []))
    .optional()
    .meta({ description: "Filter for active accounts, checked at each use of a session too.", allowed: "a filter" }),
  LDAP_ID_ATTRIBUTE: attribute("entryUUID", "Attribute with an account's permanent id."),
  LDAP_EMAIL_ATTRIBUTE: attribute("mail", "Attribute with an account's e-mail address."),
  LDAP_NAME_ATTRIBUTE: attribute("cn", "Attribute with an account's name."),
  LDAP_ORGANISATION_ATTRIBUTE: attribute("o", "Attribute with an account's organisation, for the role `tenant`."),
  LDAP_PASSWORD_TIME_ATTRIBUTE: z
    .string()
    .regex(attributeName, attributeProblem)
    .optional()
    .meta({
      description: "Attribute with the time of an account's last password change; sessions from before it end.",
      allowed: "the name of an attribute",
    }),
  LDAP_GROUP_BASE: text.optional().describe("Base DN of groups. Without it the account's memberOf is used."),
  LDAP_GROUP_FILTER: filter(groupFilter)
    .prefault("(member={{dn}})")
    .meta({
      description: "Filter that finds the groups of an account, by its DN or an attribute.",
      allowed: "a filter with {{dn}}, or an attribute such as {{uid}}",
    }),
  LDAP_ROLES: roles.meta({
    description: "Roles by group; the first match applies. Without a match: `pending`, no token.",
    allowed: "an ordered list `role: group; …`, a group by its DN or cn, * for all",
  }),
  LDAP_WIDE_CATCH_ALL: truth.describe("Allow `*` in LDAP_ROLES to grant more than a line before it."),
};

type LdapSettings = z.output<ReturnType<typeof z.object<typeof ldapSettings>>>;

export function ldapContradictions(settings: LdapSettings & { readonly OWN_ROLES: readonly string[] }): string[] {
  const problems = unknownRoles(settings.LDAP_ROLES, settings.OWN_ROLES).map(
    (role) => `LDAP_ROLES: there is no role ${role}`,
  );
  const opening = settings.LDAP_WIDE_CATCH_ALL
    ? undefined
    : openingProblem(settings.LDAP_ROLES, "LDAP_WIDE_CATCH_ALL=true");
  if (opening !== undefined) problems.push(`LDAP_ROLES: ${opening}`);
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
