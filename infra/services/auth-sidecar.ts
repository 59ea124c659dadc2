import type { Input } from "@pulumi/pulumi";
import { textOf } from "../inputs.ts";
import { type SettingName, settingNames, type Settings, settings as declarations } from "../settings/list.ts";
import { directorySettingNames } from "../settings/declared/sidecar.ts";
import { ownRoles } from "../settings/values/own-metadata.ts";
import type { Setting } from "../settings/values/setting.ts";
import { filesDirectory, type ServiceDescription } from "../description/service.ts";
import type { Surroundings } from "../description/surroundings.ts";

/** Issuer and audience of the tokens; the engine requires both. */
export const token = { issuer: "routeql", audience: "routeql" } as const;

/** Login, sessions, tokens and their keys. */
export function describeAuthSidecar(
  settings: Settings,
  surroundings: Pick<Surroundings, "directoryAuthority">,
): ServiceDescription {
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
      LOG_LEVEL: settings.logLevel,
      ...(settings.metadata === undefined ? {} : { OWN_ROLES: ownRoles(settings.metadata).join(",") }),
      ...declaredVariables(settings),
      ...directory?.environment,
    },
    secrets: {
      DATABASE_URL_FILE: "sidecar-database-url",
      SESSIONS_URL_FILE: "sessions-url",
      GATEWAY_KEY_FILE: "gateway-key",
      SERVICE_API_KEY_FILE: "service-api-key",
      PREVIOUS_SERVICE_API_KEY_FILE: "previous-service-api-key",
      KEY_ENCRYPTION_KEY_FILE: "key-encryption-key",
      PREVIOUS_KEY_ENCRYPTION_KEY_FILE: "previous-key-encryption-key",
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
    after: ["migrate"],
    drainSeconds: 5,
    graceSeconds: 30,
  };
}

/** The settings that the sidecar itself declares; those of the directory only with a directory. */
function declaredVariables(settings: Settings): Record<string, Input<string>> {
  return Object.fromEntries(
    settingNames
      .filter((name) => settings.ldapUrl !== undefined || !directorySettingNames.some((each) => each === name))
      .flatMap((name) => {
        const { variable }: Setting = declarations[name];
        const value = (settings as Readonly<Partial<Record<SettingName, Input<string | number | boolean>>>>)[name];
        return variable === undefined || value === undefined ? [] : [[variable, textOf(value)]];
      }),
  );
}

const authorityFile = "ldap/ca.pem";

function describeDirectory(
  settings: Settings,
  { directoryAuthority }: Pick<Surroundings, "directoryAuthority">,
): Pick<ServiceDescription, "environment" | "secrets" | "files"> | undefined {
  if (settings.ldapUrl === undefined) return undefined;
  return {
    environment: directoryAuthority === undefined ? {} : { LDAP_CA_FILE: `${filesDirectory}/${authorityFile}` },
    secrets: settings.ldapBindDn === undefined ? {} : { LDAP_BIND_PASSWORD_FILE: "ldap-bind-password" },
    files: directoryAuthority === undefined ? {} : { [authorityFile]: directoryAuthority },
  };
}
