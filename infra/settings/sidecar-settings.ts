/**
 * Settings that the auth sidecar declares, with the sections for tokens and for the LDAP login (docs/operate/ldap.md). Their names,
 * checks, ranges, defaults and texts come from its declarations, so that the deployment rejects every value that the sidecar would reject.
 * @module
 */
import { tokenAlgorithm } from "@routeql/auth-sidecar/keys/signing-key";
import { ldapSettings } from "@routeql/auth-sidecar/ldap/ldap-settings";
import { numberSettings } from "@routeql/auth-sidecar/number-settings";
import { range } from "./checks.ts";
import { type Check, file, flag, givenSecret, number, text } from "./setting.ts";

const declared = { ...ldapSettings, TOKEN_ALGORITHM: tokenAlgorithm };
type Declared = typeof declared;
/** Names of the texts that have a default. */
type Defaulted = {
  [Name in keyof Declared]: Declared[Name] extends { def: { defaultValue: string } } ? Name : never;
}[keyof Declared];
type Flag = "LDAP_STARTTLS" | "LDAP_PLAINTEXT";

function textsOf(name: keyof Declared) {
  const { description: meaning = "", allowed } = declared[name].meta() ?? {};
  return { meaning, ...(typeof allowed === "string" ? { allowed } : {}) };
}

function declaration(name: keyof Declared) {
  const check: Check<"text"> & Check<"secret"> = (value) => declared[name].safeParse(value).error?.issues[0]?.message;
  return { environment: name, ...textsOf(name), check };
}

export const sidecarNumber = (name: keyof typeof numberSettings) => {
  const { minimum, maximum, default: byDefault, meaning } = numberSettings[name];
  return number({ environment: name, default: byDefault, meaning, ...range(minimum, maximum) });
};
/** A text without a default. */
const sidecarText = (name: keyof Declared) => text(declaration(name));
const sidecarTextWithDefault = (name: Defaulted) =>
  text({ ...declaration(name), default: declared[name].def.defaultValue });
const sidecarSecret = (name: keyof Declared) => givenSecret(declaration(name));
const sidecarFlag = (name: Flag) =>
  flag({ environment: name, default: declared[name].def.defaultValue, ...textsOf(name) });
/** The deployment takes the path of a file with the value. */
const sidecarFile = (name: keyof Declared) => file({ environment: `${name}_FILE`, ...textsOf(name) });

/** Tokens, signing keys and login work. */
export const tokenSettings = {
  tokenAlgorithm: sidecarTextWithDefault("TOKEN_ALGORITHM"),
  keyRotationHours: sidecarNumber("KEY_ROTATION_HOURS"),
  keyEncryptionKeyGeneration: number({
    environment: "KEY_ENCRYPTION_KEY_GENERATION",
    default: 1,
    meaning:
      "Generation of the key that encrypts signing keys in the database. Raise it by one to rotate that key; never lower it.",
    ...range(1, 1000),
  }),
  loginWindowSeconds: sidecarNumber("LOGIN_WINDOW_SECONDS"),
  passwordHashConcurrency: sidecarNumber("PASSWORD_HASH_CONCURRENCY"),
  passwordHashQueue: sidecarNumber("PASSWORD_HASH_QUEUE"),
} as const;

/** The LDAP login. */
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
