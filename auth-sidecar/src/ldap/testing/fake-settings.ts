import { readSettings } from "../../settings.ts";
import { type DirectorySettings, hasDirectory } from "../directory-connection.ts";
import type { FakeDirectory } from "./fake-directory.ts";

/** Settings for these directories, whose accounts have the id `uid`. */
export function settingsFor(
  directories: readonly FakeDirectory[],
  more: Readonly<Record<string, string>> = {},
): DirectorySettings {
  const settings = readSettings({
    DATABASE_URL: "postgres://sidecar:c2Vx7hPq@database/routeql",
    SESSIONS_URL: "redis://sessions",
    SERVICE_API_KEY: "f3a9d1c07b5e4826a1c9e07d35b8f264",
    KEY_ENCRYPTION_KEY: "b7e20f4c9d1a6835f0c4a7e92d5b8163",
    LDAP_URL: directories.map(({ port }) => `ldap://127.0.0.1:${port}`).join(" "),
    LDAP_PLAINTEXT: "true",
    LDAP_USER_BASE: "dc=example",
    LDAP_ID_ATTRIBUTE: "uid",
    // On a busy machine an answer may take more than three seconds.
    LDAP_TIMEOUT_MILLISECONDS: "30000",
    ...more,
  });
  if (!hasDirectory(settings)) throw new Error("The settings name no directory.");
  return settings;
}
