/** Settings that packages/sidecar-settings declares, with their names, checks, defaults and texts: deployment and sidecar reject the same values. */
import { tokenAlgorithm } from "@routeql/sidecar-settings/token-algorithm";
import { ldapSettings } from "@routeql/sidecar-settings/directory";
import { numberSettings } from "@routeql/sidecar-settings/numbers";
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

const service = "auth-sidecar";

type CamelCase<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${Lowercase<First>}${Capitalize<CamelCase<Rest>>}`
  : Lowercase<Name>;
const camelCase = (name: string): string =>
  name.toLowerCase().replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());

type DeclaredNumber = Readonly<Record<"minimum" | "maximum" | "default", number> & Record<"meaning", string>>;
const sidecarNumber = ({ minimum, maximum, default: byDefault, meaning }: DeclaredNumber) =>
  number({ service, default: byDefault, meaning, ...range(minimum, maximum) });

/** Every whole number that the sidecar declares: `TOKEN_LIFE_SECONDS` becomes `tokenLifeSeconds`. */
export const sidecarNumbers = Object.fromEntries(
  Object.entries(numberSettings).map(([name, declaration]) => [camelCase(name), sidecarNumber(declaration)]),
) as { readonly [Name in keyof typeof numberSettings as CamelCase<Name>]: ReturnType<typeof sidecarNumber> };

const sidecarText = (name: keyof Declared) => text({ service, ...declaration(name) });
const sidecarTextWithDefault = (name: Defaulted) =>
  text({ service, ...declaration(name), default: declared[name].def.defaultValue });
const sidecarSecret = (name: keyof Declared) => givenSecret(declaration(name));
const sidecarFlag = (name: Flag) => flag({ service, default: declared[name].def.defaultValue, ...textsOf(name) });
/** The deployment takes the path of a file with the value. */
const sidecarFile = (name: keyof Declared) => file(textsOf(name));

export const tokenSettings = { tokenAlgorithm: sidecarTextWithDefault("TOKEN_ALGORITHM") } as const;

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
  ldapPasswordTimeAttribute: sidecarText("LDAP_PASSWORD_TIME_ATTRIBUTE"),
  ldapGroupBase: sidecarText("LDAP_GROUP_BASE"),
  ldapGroupFilter: sidecarTextWithDefault("LDAP_GROUP_FILTER"),
  ldapRoles: sidecarText("LDAP_ROLES"),
  ldapWideCatchAll: sidecarFlag("LDAP_WIDE_CATCH_ALL"),
  ldapTimeoutMilliseconds: sidecarNumbers.ldapTimeoutMilliseconds,
  ldapCheckSeconds: sidecarNumbers.ldapCheckSeconds,
} as const;

export type DirectorySettingName = keyof typeof directorySettings;
export const directorySettingNames = Object.keys(directorySettings) as readonly DirectorySettingName[];
