/**
 * The settings of the directory login: part of the list in list.ts. Names in the environment file, defaults and checks are those
 * of the auth sidecar (auth-sidecar/src/ldap/ldap-settings.ts); docs/operate/ldap.md has examples.
 * @module
 */
import { range } from "./checks.ts";
import { file, flag, givenSecret, number, text } from "./setting.ts";
import { sidecarCheck } from "./sidecar-check.ts";

const attribute = "the name of an attribute";

export const directorySettings = {
  ldapUrl: text({
    environment: "LDAP_URL",
    meaning: "LDAP servers, tried in order, separated by spaces or commas. Without it there is no LDAP login.",
    check: sidecarCheck("LDAP_URL"),
    allowed: "addresses that start with ldap:// or ldaps://",
  }),
  ldapStarttls: flag({
    environment: "LDAP_STARTTLS",
    default: false,
    meaning: "Start TLS on ldap:// connections.",
  }),
  ldapPlaintext: flag({
    environment: "LDAP_PLAINTEXT",
    default: false,
    meaning: "Allow ldap:// without StartTLS, which sends passwords in clear text.",
  }),
  ldapCaFile: file({
    environment: "LDAP_CA_FILE",
    meaning: "Certificate authority (PEM) of the LDAP servers. Without it the public authorities are trusted.",
  }),
  ldapBindDn: text({
    environment: "LDAP_BIND_DN",
    meaning: "DN of the account that searches the directory. Without it the search is anonymous.",
    check: sidecarCheck("LDAP_BIND_DN"),
  }),
  ldapBindPassword: givenSecret({
    environment: "LDAP_BIND_PASSWORD",
    meaning: "Password of the search account.",
    check: sidecarCheck("LDAP_BIND_PASSWORD"),
  }),
  ldapUserBase: text({
    environment: "LDAP_USER_BASE",
    meaning: "Base DN of accounts; the whole subtree is searched. Required with `ldapUrl`.",
    check: sidecarCheck("LDAP_USER_BASE"),
  }),
  ldapUserFilter: text({
    environment: "LDAP_USER_FILTER",
    default: "(mail={{username}})",
    meaning: "Filter that finds an account by the name that the user enters.",
    check: sidecarCheck("LDAP_USER_FILTER"),
    allowed: "a filter with {{username}}",
  }),
  ldapActiveFilter: text({
    environment: "LDAP_ACTIVE_FILTER",
    meaning: "Additional filter for active accounts, checked at login and at each use of a session.",
    check: sidecarCheck("LDAP_ACTIVE_FILTER"),
    allowed: "a filter",
  }),
  ldapIdAttribute: text({
    environment: "LDAP_ID_ATTRIBUTE",
    default: "entryUUID",
    meaning: "Attribute with the permanent id of an account; objectGUID for Active Directory, ipaUniqueID for FreeIPA.",
    check: sidecarCheck("LDAP_ID_ATTRIBUTE"),
    allowed: attribute,
  }),
  ldapEmailAttribute: text({
    environment: "LDAP_EMAIL_ATTRIBUTE",
    default: "mail",
    meaning: "Attribute with an account's e-mail address.",
    check: sidecarCheck("LDAP_EMAIL_ATTRIBUTE"),
    allowed: attribute,
  }),
  ldapNameAttribute: text({
    environment: "LDAP_NAME_ATTRIBUTE",
    default: "cn",
    meaning: "Attribute with an account's name.",
    check: sidecarCheck("LDAP_NAME_ATTRIBUTE"),
    allowed: attribute,
  }),
  ldapOrganisationAttribute: text({
    environment: "LDAP_ORGANISATION_ATTRIBUTE",
    default: "o",
    meaning: "Attribute with an account's organisation, for the role `tenant`.",
    check: sidecarCheck("LDAP_ORGANISATION_ATTRIBUTE"),
    allowed: attribute,
  }),
  ldapGroupBase: text({
    environment: "LDAP_GROUP_BASE",
    meaning: "Base DN of groups. Without it the account's memberOf is used.",
    check: sidecarCheck("LDAP_GROUP_BASE"),
  }),
  ldapGroupFilter: text({
    environment: "LDAP_GROUP_FILTER",
    default: "(member={{dn}})",
    meaning: "Filter that finds the groups of an account.",
    check: sidecarCheck("LDAP_GROUP_FILTER"),
    allowed: "a filter with {{dn}}",
  }),
  ldapRoles: text({
    environment: "LDAP_ROLES",
    meaning: "Roles by group: the first matching entry applies. An account without a match is `pending` and gets no token.",
    check: sidecarCheck("LDAP_ROLES"),
    allowed: "an ordered list `role: group; …`, a group by its DN or cn, * for all",
  }),
  ldapTimeoutMilliseconds: number({
    environment: "LDAP_TIMEOUT_MILLISECONDS",
    default: 3000,
    meaning: "Maximum wait for one answer of an LDAP server, in milliseconds.",
    ...range(100, 30_000),
  }),
} as const;

export type DirectorySettingName = keyof typeof directorySettings;
export const directorySettingNames = Object.keys(directorySettings) as readonly DirectorySettingName[];
