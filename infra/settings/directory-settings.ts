/**
 * Settings of the LDAP login: a section of the list in list.ts. docs/operate/ldap.md has examples.
 * @module
 */
import {
  sidecarFile,
  sidecarFlag,
  sidecarNumber,
  sidecarSecret,
  sidecarText,
  sidecarTextWithDefault,
} from "./sidecar-settings.ts";

export const directorySettings = {
  ldapUrl: sidecarText("LDAP_URL"),
  ldapStarttls: sidecarFlag("LDAP_STARTTLS"),
  ldapPlaintext: sidecarFlag("LDAP_PLAINTEXT"),
  ldapCaFile: sidecarFile("LDAP_CA"),
  ldapBindDn: sidecarText("LDAP_BIND_DN"),
  ldapBindPassword: sidecarSecret("LDAP_BIND_PASSWORD"),
  ldapUserBase: sidecarText("LDAP_USER_BASE"),
  ldapUserFilter: sidecarTextWithDefault("LDAP_USER_FILTER"),
  ldapActiveFilter: sidecarText("LDAP_ACTIVE_FILTER"),
  ldapIdAttribute: sidecarTextWithDefault("LDAP_ID_ATTRIBUTE"),
  ldapEmailAttribute: sidecarTextWithDefault("LDAP_EMAIL_ATTRIBUTE"),
  ldapNameAttribute: sidecarTextWithDefault("LDAP_NAME_ATTRIBUTE"),
  ldapOrganisationAttribute: sidecarTextWithDefault("LDAP_ORGANISATION_ATTRIBUTE"),
  ldapGroupBase: sidecarText("LDAP_GROUP_BASE"),
  ldapGroupFilter: sidecarTextWithDefault("LDAP_GROUP_FILTER"),
  ldapRoles: sidecarText("LDAP_ROLES"),
  ldapTimeoutMilliseconds: sidecarNumber("LDAP_TIMEOUT_MILLISECONDS"),
} as const;

export type DirectorySettingName = keyof typeof directorySettings;
export const directorySettingNames = Object.keys(directorySettings) as readonly DirectorySettingName[];
