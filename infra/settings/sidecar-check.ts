import { ldapSettings } from "@routeql/auth-sidecar/ldap/ldap-settings";
import { numberSettings } from "@routeql/auth-sidecar/number-settings";
import { range } from "./checks.ts";
import { number, type Check } from "./setting.ts";

/** What the auth sidecar says about a value of one of its settings, so that the deployment refuses what it would refuse. */
export function sidecarCheck(name: keyof typeof ldapSettings): Check<"text"> & Check<"secret"> {
  return (value) => ldapSettings[name].safeParse(value).error?.issues[0]?.message;
}

/** A number that the auth sidecar declares: its range, default and meaning stand there alone. */
export function sidecarNumber<Name extends keyof typeof numberSettings>(name: Name) {
  const { minimum, maximum, default: byDefault, meaning } = numberSettings[name];
  return number({ environment: name, default: byDefault, meaning, ...range(minimum, maximum) });
}
