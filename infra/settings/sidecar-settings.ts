/**
 * Settings that the auth sidecar declares. Their names, checks, ranges, defaults and texts come from its declarations, so that the
 * deployment rejects every value that the sidecar would reject.
 * @module
 */
import { tokenAlgorithm } from "@routeql/auth-sidecar/keys/signing-key";
import { ldapSettings } from "@routeql/auth-sidecar/ldap/ldap-settings";
import { numberSettings } from "@routeql/auth-sidecar/number-settings";
import { range } from "./checks.ts";
import { file, flag, givenSecret, number, text, type Check } from "./setting.ts";

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
export const sidecarText = (name: keyof Declared) => text(declaration(name));
export const sidecarTextWithDefault = (name: Defaulted) =>
  text({ ...declaration(name), default: declared[name].def.defaultValue });
export const sidecarSecret = (name: keyof Declared) => givenSecret(declaration(name));
export const sidecarFlag = (name: Flag) =>
  flag({ environment: name, default: declared[name].def.defaultValue, ...textsOf(name) });
/** The deployment takes the path of a file with the value. */
export const sidecarFile = (name: keyof Declared) => file({ environment: `${name}_FILE`, ...textsOf(name) });
