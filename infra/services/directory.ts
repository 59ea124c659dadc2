import { directorySettingNames, directorySettings } from "../settings/directory-settings.ts";
import type { Setting } from "../settings/setting.ts";
import type { PlainSettings } from "../settings/list.ts";
import { filesDirectory } from "./description.ts";
import type { ServiceDescription } from "./description.ts";

export interface DirectorySurroundings {
  /** Content of the file that `ldapCaFile` names, PEM. */
  readonly directoryAuthority?: string | undefined;
}

const authorityFile = "ldap/ca.pem";

/** The auth sidecar's inputs for the directory login; empty without a directory. */
export function describeDirectory(
  settings: PlainSettings,
  { directoryAuthority }: DirectorySurroundings,
): Pick<ServiceDescription, "environment" | "secrets" | "files"> | undefined {
  if (settings.ldapUrl === undefined) return undefined;
  const environment: Record<string, string> = {};
  for (const name of directorySettingNames) {
    const { type, environment: variable }: Setting = directorySettings[name];
    if (name === "ldapBindPassword" || type === "file") continue;
    const value = settings[name];
    if (value !== undefined) environment[variable] = String(value);
  }
  return {
    environment:
      directoryAuthority === undefined
        ? environment
        : { ...environment, LDAP_CA_FILE: `${filesDirectory}/${authorityFile}` },
    secrets: settings.ldapBindDn === undefined ? {} : { LDAP_BIND_PASSWORD_FILE: "ldap-bind-password" },
    files: directoryAuthority === undefined ? {} : { [authorityFile]: directoryAuthority },
  };
}
