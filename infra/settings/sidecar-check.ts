import { ldapSettings } from "../../auth-sidecar/src/ldap/ldap-settings.ts";
import type { Check } from "./setting.ts";

/** What the auth sidecar says about a value of one of its settings, so that the deployment refuses what it would refuse. */
export function sidecarCheck(name: keyof typeof ldapSettings): Check<"text"> & Check<"secret"> {
  return (value) => ldapSettings[name].safeParse(value).error?.issues[0]?.message;
}
