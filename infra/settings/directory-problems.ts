import { directorySettingNames } from "./directory-settings.ts";
import type { SettingsProblem } from "./error.ts";
import type { GivenSettings, PlainSettings, SettingName } from "./list.ts";

const place = "together with another setting";

/** What is wrong with the directory's settings taken together; the auth sidecar asks for the same. */
export function directoryProblems(given: GivenSettings, settings: PlainSettings): SettingsProblem[] {
  const problems: SettingsProblem[] = [];
  const wrong = (name: SettingName, problem: string): void => void problems.push({ name, place, problem });
  const missing = (name: SettingName, other: string): void => wrong(name, `is missing, but ${other} is set`);

  const present = directorySettingNames.filter((name) => given[name] !== undefined);
  if (settings.ldapUrl === undefined) {
    if (present.length > 0) missing("ldapUrl", present.join(", "));
    return problems;
  }
  if (settings.ldapUserBase === undefined) missing("ldapUserBase", "ldapUrl");
  if (given.ldapBindPassword === undefined && settings.ldapBindDn !== undefined) missing("ldapBindPassword", "ldapBindDn");
  if (given.ldapBindPassword !== undefined && settings.ldapBindDn === undefined) missing("ldapBindDn", "ldapBindPassword");
  if (/\bldap:/.test(settings.ldapUrl) && !settings.ldapStarttls && !settings.ldapPlaintext) {
    const remedy = "take ldaps:// or set ldapStarttls or, if you must, ldapPlaintext";
    wrong("ldapUrl", `has ldap://, which sends passwords readable: ${remedy}`);
  }
  return problems;
}
