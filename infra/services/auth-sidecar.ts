import type { PlainSettings } from "../settings/list.ts";
import type { Setting } from "../settings/setting.ts";
import { directorySettingNames, directorySettings } from "../settings/sidecar-settings.ts";
import { filesDirectory, type ServiceDescription } from "./description.ts";

/** Issuer and audience of the tokens; the engine requires both. */
export const token = { issuer: "routeql", audience: "routeql" } as const;

export type SidecarSurroundings = DirectorySurroundings;

/** Login, sessions, tokens and their keys. */
export function describeAuthSidecar(settings: PlainSettings, surroundings: SidecarSurroundings): ServiceDescription {
  const directory = describeDirectory(settings, surroundings);
  return {
    name: "auth-sidecar",
    run: "service",
    image: "auth-sidecar",
    command: ["node", "auth-sidecar/src/main.ts"],
    user: 10_103,
    environment: {
      PORT: "8080",
      METRICS_PORT: "9090",
      TOKEN_ISSUER: token.issuer,
      TOKEN_AUDIENCE: token.audience,
      TOKEN_LIFE_SECONDS: String(settings.tokenLifeSeconds),
      TOKEN_ALGORITHM: settings.tokenAlgorithm,
      KEY_ROTATION_HOURS: String(settings.keyRotationHours),
      SESSION_IDLE_SECONDS: String(settings.sessionIdleSeconds),
      SESSION_ABSOLUTE_SECONDS: String(settings.sessionAbsoluteSeconds),
      LOGIN_ATTEMPTS_PER_ACCOUNT: String(settings.loginAttemptsPerAccount),
      LOGIN_ATTEMPTS_PER_ADDRESS: String(settings.loginAttemptsPerAddress),
      LOGIN_WINDOW_SECONDS: String(settings.loginWindowSeconds),
      PASSWORD_HASH_CONCURRENCY: String(settings.passwordHashConcurrency),
      PASSWORD_HASH_QUEUE: String(settings.passwordHashQueue),
      BODY_LIMIT_KILOBYTES: String(settings.bodyLimitKilobytes),
      LOG_LEVEL: settings.logLevel,
      ...directory?.environment,
    },
    secrets: {
      DATABASE_URL_FILE: "sidecar-database-url",
      SESSIONS_URL_FILE: "sessions-url",
      SERVICE_API_KEY_FILE: "service-api-key",
      KEY_ENCRYPTION_KEY_FILE: "key-encryption-key",
      ...(settings.keyEncryptionKeyGeneration === 1
        ? {}
        : { PREVIOUS_KEY_ENCRYPTION_KEY_FILE: "previous-key-encryption-key" }),
      ...directory?.secrets,
    },
    files: { ...directory?.files },
    temporary: { "/tmp": 16 },
    ports: [],
    listens: [{ name: "http", port: 8080 }],
    metricsPort: 9090,
    health: { kind: "http", port: 8080, path: "/readyz" },
    alive: { kind: "http", port: 8080, path: "/livez" },
    resources: { memoryMegabytes: 512, cpuMillicores: 200, processes: 512 },
    calls: ["database", "sessions"],
    ...(directory === undefined ? {} : { callsOutside: ["directory"] }),
    after: ["migrate", "sessions"],
    drainSeconds: 5,
    graceSeconds: 30,
  };
}

export interface DirectorySurroundings {
  /** Content of the file that `ldapCaFile` names, PEM. */
  readonly directoryAuthority?: string | undefined;
}

const authorityFile = "ldap/ca.pem";

/** The auth sidecar's inputs for the directory login; empty without a directory. */
function describeDirectory(
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
