/** Settings that packages/sidecar-settings declares, with their names, checks, defaults and texts: deployment and sidecar reject the same values. */
import { tokenAlgorithm } from "@routeql/sidecar-settings/token-algorithm";
import { ldapSettings } from "@routeql/sidecar-settings/directory";
import { type DeployedNumber, numberSettings } from "@routeql/sidecar-settings/numbers";
import { range } from "../values/checks.ts";
import { type Check, file, flag, givenSecret, number, text } from "../values/setting.ts";

const declared = { ...ldapSettings, TOKEN_ALGORITHM: tokenAlgorithm };
type Declared = typeof declared;
/** Names of the texts that have a default. */
type Defaulted = {
  [Name in keyof Declared]: Declared[Name] extends { def: { defaultValue: string } } ? Name : never;
}[keyof Declared];
type Flag = "LDAP_STARTTLS" | "LDAP_PLAINTEXT" | "LDAP_WIDE_CATCH_ALL";

function textsOf(name: keyof Declared) {
  const { description: meaning = "", allowed } = declared[name].meta() ?? {};
  return { meaning, ...(typeof allowed === "string" ? { allowed } : {}) };
}

function declaration(name: keyof Declared) {
  const check: Check<"text"> & Check<"secret"> = (value) => declared[name].safeParse(value).error?.issues[0]?.message;
  return { ...textsOf(name), check };
}

type Numbers = typeof numberSettings;
function sidecarNumber<const Argument extends string>(variable: string, declared: DeployedNumber<Argument>) {
  const { argument, minimum, maximum, default: byDefault, meaning } = declared;
  return number({ argument, environment: variable, variable, default: byDefault, meaning, ...range(minimum, maximum) });
}

/** Every whole number that the sidecar declares, by its key in the stack's configuration. */
export const sidecarNumbers = Object.fromEntries(
  Object.entries(numberSettings).map(([variable, declared]) => [declared.key, sidecarNumber(variable, declared)]),
) as {
  readonly [Name in keyof Numbers as Numbers[Name]["key"]]: ReturnType<typeof sidecarNumber<Numbers[Name]["argument"]>>;
};

const named = <const Argument extends string>(variable: string, argument: Argument) => ({
  argument,
  environment: variable,
  variable,
});
const sidecarText = <const Argument extends string>(name: keyof Declared, argument: Argument) =>
  text({ ...named(name, argument), ...declaration(name) });
const sidecarTextWithDefault = <const Argument extends string>(name: Defaulted, argument: Argument) =>
  text({ ...named(name, argument), ...declaration(name), default: declared[name].def.defaultValue });
const sidecarSecret = <const Argument extends string>(name: keyof Declared, argument: Argument) =>
  givenSecret({ argument, environment: name, ...declaration(name) });
const sidecarFlag = <const Argument extends string>(name: Flag, argument: Argument) =>
  flag({ ...named(name, argument), default: declared[name].def.defaultValue, ...textsOf(name) });

export const tokenSettings = {
  tokenAlgorithm: sidecarTextWithDefault("TOKEN_ALGORITHM", "authSidecar.tokenAlgorithm"),
} as const;

export const directorySettings = {
  ldapUrl: sidecarText("LDAP_URL", "directory.url"),
  ldapStarttls: sidecarFlag("LDAP_STARTTLS", "directory.starttls"),
  ldapPlaintext: sidecarFlag("LDAP_PLAINTEXT", "directory.plaintext"),
  // The deployment takes the path of a file with the value.
  ldapCaFile: file({ argument: "directory.caFile", environment: "LDAP_CA_FILE", ...textsOf("LDAP_CA") }),
  ldapBindDn: sidecarText("LDAP_BIND_DN", "directory.bindDn"),
  ldapBindPassword: sidecarSecret("LDAP_BIND_PASSWORD", "directory.bindPassword"),
  ldapUserBase: sidecarText("LDAP_USER_BASE", "directory.userBase"),
  ldapUserFilter: sidecarTextWithDefault("LDAP_USER_FILTER", "directory.userFilter"),
  ldapActiveFilter: sidecarText("LDAP_ACTIVE_FILTER", "directory.activeFilter"),
  ldapIdAttribute: sidecarTextWithDefault("LDAP_ID_ATTRIBUTE", "directory.idAttribute"),
  ldapEmailAttribute: sidecarTextWithDefault("LDAP_EMAIL_ATTRIBUTE", "directory.emailAttribute"),
  ldapNameAttribute: sidecarTextWithDefault("LDAP_NAME_ATTRIBUTE", "directory.nameAttribute"),
  ldapOrganisationAttribute: sidecarTextWithDefault("LDAP_ORGANISATION_ATTRIBUTE", "directory.organisationAttribute"),
  ldapPasswordTimeAttribute: sidecarText("LDAP_PASSWORD_TIME_ATTRIBUTE", "directory.passwordTimeAttribute"),
  ldapGroupBase: sidecarText("LDAP_GROUP_BASE", "directory.groupBase"),
  ldapGroupFilter: sidecarTextWithDefault("LDAP_GROUP_FILTER", "directory.groupFilter"),
  ldapRoles: sidecarText("LDAP_ROLES", "directory.roles"),
  ldapWideCatchAll: sidecarFlag("LDAP_WIDE_CATCH_ALL", "directory.wideCatchAll"),
  ldapTimeoutMilliseconds: sidecarNumbers.ldapTimeoutMilliseconds,
  ldapCheckSeconds: sidecarNumbers.ldapCheckSeconds,
} as const;

export type DirectorySettingName = keyof typeof directorySettings;
export const directorySettingNames = Object.keys(directorySettings) as readonly DirectorySettingName[];
