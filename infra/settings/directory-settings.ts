/**
 * The settings of the directory login: part of the list in list.ts. Names in the environment file, defaults and checks are those
 * of the auth sidecar (auth-sidecar/src/ldap/ldap-settings.ts); docs/ldap.md has examples.
 * @module
 */
import { range } from "./checks.ts";
import { file, flag, givenSecret, number, text } from "./setting.ts";
import { sidecarCheck } from "./sidecar-check.ts";

const attribute = "the name of an attribute";

export const directorySettings = {
  ldapUrl: text({
    environment: "LDAP_URL",
    meaning: "The directory's servers, tried in turn, parted by blanks or commas. Without it there is no directory login.",
    check: sidecarCheck("LDAP_URL"),
    allowed: "addresses that start with ldap:// or ldaps://",
  }),
  ldapStarttls: flag({
    environment: "LDAP_STARTTLS",
    default: false,
    meaning: "Whether connections to ldap:// start TLS.",
  }),
  ldapPlaintext: flag({
    environment: "LDAP_PLAINTEXT",
    default: false,
    meaning: "Allows ldap:// without StartTLS, which sends passwords readable.",
  }),
  ldapCaFile: file({
    environment: "LDAP_CA_FILE",
    meaning: "Authority (PEM) that the servers' certificates come from. Without it the public ones are trusted.",
  }),
  ldapBindDn: text({
    environment: "LDAP_BIND_DN",
    meaning: "The account that searches the directory. Without it the search is anonymous.",
    check: sidecarCheck("LDAP_BIND_DN"),
  }),
  ldapBindPassword: givenSecret({
    environment: "LDAP_BIND_PASSWORD",
    meaning: "Password of the account that searches.",
    check: sidecarCheck("LDAP_BIND_PASSWORD"),
  }),
  ldapUserBase: text({
    environment: "LDAP_USER_BASE",
    meaning: "Where accounts are searched, in the whole subtree. Needed with a directory.",
    check: sidecarCheck("LDAP_USER_BASE"),
  }),
  ldapUserFilter: text({
    environment: "LDAP_USER_FILTER",
    default: "(mail={{username}})",
    meaning: "Finds the account of what was typed as its name.",
    check: sidecarCheck("LDAP_USER_FILTER"),
    allowed: "a filter with {{username}}",
  }),
  ldapActiveFilter: text({
    environment: "LDAP_ACTIVE_FILTER",
    meaning: "What else an account must satisfy, at login and at each use of its session.",
    check: sidecarCheck("LDAP_ACTIVE_FILTER"),
    allowed: "a filter",
  }),
  ldapIdAttribute: text({
    environment: "LDAP_ID_ATTRIBUTE",
    default: "entryUUID",
    meaning: "What names an account for ever; objectGUID for Active Directory, ipaUniqueID for FreeIPA.",
    check: sidecarCheck("LDAP_ID_ATTRIBUTE"),
    allowed: attribute,
  }),
  ldapEmailAttribute: text({
    environment: "LDAP_EMAIL_ATTRIBUTE",
    default: "mail",
    meaning: "An account's e-mail address.",
    check: sidecarCheck("LDAP_EMAIL_ATTRIBUTE"),
    allowed: attribute,
  }),
  ldapNameAttribute: text({
    environment: "LDAP_NAME_ATTRIBUTE",
    default: "cn",
    meaning: "An account's name.",
    check: sidecarCheck("LDAP_NAME_ATTRIBUTE"),
    allowed: attribute,
  }),
  ldapOrganisationAttribute: text({
    environment: "LDAP_ORGANISATION_ATTRIBUTE",
    default: "o",
    meaning: "An account's organisation, for accounts with the role `tenant`.",
    check: sidecarCheck("LDAP_ORGANISATION_ATTRIBUTE"),
    allowed: attribute,
  }),
  ldapGroupBase: text({
    environment: "LDAP_GROUP_BASE",
    meaning: "Where groups are searched. Without it the account's memberOf counts.",
    check: sidecarCheck("LDAP_GROUP_BASE"),
  }),
  ldapGroupFilter: text({
    environment: "LDAP_GROUP_FILTER",
    default: "(member={{dn}})",
    meaning: "Finds the groups of an account.",
    check: sidecarCheck("LDAP_GROUP_FILTER"),
    allowed: "a filter with {{dn}}",
  }),
  ldapRoles: text({
    environment: "LDAP_ROLES",
    meaning: "Who has which role: the first entry that holds counts. Whoever is in none is `pending` and gets no token.",
    check: sidecarCheck("LDAP_ROLES"),
    allowed: "an ordered list `role: group; …`, a group by its DN or cn, * for all",
  }),
  ldapTimeoutMilliseconds: number({
    environment: "LDAP_TIMEOUT_MILLISECONDS",
    default: 3000,
    meaning: "Longest wait for one answer of a server.",
    ...range(100, 30_000),
  }),
} as const;

export type DirectorySettingName = keyof typeof directorySettings;
export const directorySettingNames = Object.keys(directorySettings) as readonly DirectorySettingName[];
