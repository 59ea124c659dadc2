/**
 * Every setting, once. This list is the source for reading and checking the stack's configuration and the environment file, for the
 * component's arguments, the configuration section of Pulumi.yaml, .env.example and docs/reference/settings.md (`npm run documents`).
 * @module
 */
import { roles } from "@routeql/database/migrate/roles";
import { pins } from "@routeql/pins/pins";
import { address, email, host, image, numbersByRole, oneOf, port, range, strongSecret } from "./checks.ts";
import { archiveSettings, cloudNativePgSettings, partSettings } from "./data-store-settings.ts";
import { directorySettings, sidecarNumbers, tokenSettings } from "./sidecar-settings.ts";
import { engineSettings, imageSettings } from "./image-settings.ts";
import { kubernetesSettings } from "./kubernetes-settings.ts";
import { monitoringSettings } from "./monitoring-settings.ts";
import { rotationSettings } from "./rotation-settings.ts";
import { origins } from "./addresses.ts";
import { networkSettings } from "./network-settings.ts";
import { file, flag, number, secret, text, withEnvironmentNames } from "./setting.ts";
import type { Declaration, ValueOf } from "./setting.ts";

export const settings = withEnvironmentNames({
  engineAccessKey: secret({
    meaning: "Master key: a client that sends it in `X-Engine-Access-Key` has full access to the engine.",
    ...strongSecret(32),
  }),
  serviceApiKey: secret({
    meaning: "Service key that clients of the session endpoints send in `x-service-api-key`.",
    ...strongSecret(32),
  }),
  ...engineSettings,
  engineMutations: flag({
    default: true,
    meaning: "Serve the mutations that the roles' permissions allow. With `false` the API only reads.",
  }),
  engineConsole: flag({
    default: false,
    defaultIn: { local: true },
    meaning: "Serve the console at `/` of the console port.",
  }),
  adminEmail: text({
    default: "admin@example.net",
    meaning: "E-mail address of the first administrator (role `operator`), created if there is no user.",
    ...email,
  }),
  adminPassword: secret({
    meaning: "First password of that administrator, used once. To change it later: `npm run users -- password`.",
    ...strongSecret(12),
  }),
  publicHost: text({
    default: "localhost",
    meaning: "Host name that clients use, in URLs and in the generated certificate.",
    ...host,
  }),
  hostAddress: text({
    default: "127.0.0.1",
    meaning:
      "Address of the Docker host on which the three ports are published; `0.0.0.0` publishes them on all addresses.",
    ...address,
  }),
  httpPort: number({ default: 80, meaning: "Published port that redirects to https.", ...port }),
  httpsPort: number({ default: 443, meaning: "Published port of the API.", ...port }),
  consolePort: number({
    default: 32_000,
    meaning: "Published port of the API and, if enabled, of the console.",
    ...port,
  }),
  corsOrigins: text({
    meaning:
      "Origins of web applications that may call the API from a browser, over HTTP and WebSocket, separated by commas; `*` allows all. Default: the service's own pages.",
    ...origins,
  }),
  ...networkSettings,
  tlsCertificateFile: file({
    meaning: "Your certificate (PEM, with its chain). Without it the stack's own authority signs one.",
  }),
  tlsPrivateKeyFile: file({ meaning: "Private key (PEM) of your certificate." }),
  tlsCaFile: file({
    meaning:
      "Certificate authorities (PEM) that clients trust for your certificate, such as the root of your company; `access.env` names them. Default: the authorities of Node.js, or the self-signed end of the chain.",
  }),
  ...sidecarNumbers,
  ...tokenSettings,
  ...rotationSettings,
  ...directorySettings,
  queryDepth: number({ default: 10, meaning: "Maximum depth of a GraphQL operation.", ...range(1, 100) }),
  queryBreadth: number({
    default: 500,
    meaning: "Maximum number of fields of a GraphQL operation, on all levels together.",
    ...range(1, 10_000),
  }),
  statementTimeoutSeconds: number({
    default: 30,
    meaning: "Time limit of an engine statement in Postgres, in seconds.",
    ...range(1, 3600),
  }),
  statementTimeoutSecondsByRole: text({
    default: "viewer=10",
    meaning: "Shorter statement limits for some roles, in seconds. Embedded engine only.",
    ...numbersByRole(1, 3600),
  }),
  enginePoolSize: number({
    default: 10,
    meaning: "Maximum connections of one engine to Postgres.",
    ...range(1, roles.engine.connectionLimit),
  }),
  requestsPerSecondPerAddress: number({
    default: 50,
    meaning: "Requests per second from one address that the gateway accepts.",
    ...range(1, 100_000),
  }),
  requestBurst: number({
    default: 100,
    meaning: "Requests from one address above that rate that are still accepted; further ones get 429.",
    ...range(1, 100_000),
  }),
  loginRequestsPerMinutePerAddress: number({
    default: 30,
    meaning: "Login requests per minute from one address.",
    ...range(1, 100_000),
  }),
  connectionsPerAddress: number({
    default: 100,
    meaning: "Concurrent connections from one address, including WebSockets.",
    ...range(1, 65_535),
  }),
  idleWebSocketSeconds: number({
    environment: "IDLE_WEBSOCKET_SECONDS",
    default: 120,
    meaning: "Seconds after which the gateway closes a WebSocket without traffic, including keep-alives.",
    ...range(10, 86_400),
  }),
  logLevel: text({
    default: "info",
    meaning: "Minimum log level of the engine and the auth sidecar.",
    ...oneOf("debug", "info", "warn", "error"),
  }),
  ...partSettings,
  ...kubernetesSettings,
  ...archiveSettings,
  ...cloudNativePgSettings,
  ...monitoringSettings,
  ...imageSettings,
  processorLimit: number({
    default: 4,
    meaning:
      "Docker: processors that one container may use at most. Hasura sizes its runtime by them; on a smaller host the host is the limit.",
    ...range(1, 256),
  }),
  debianBase: text({ default: pins.debian.image, meaning: "Base image of the built images.", ...image }),
  nodeBase: text({
    default: pins.node.image,
    meaning: "Image with Node 24 and npm that installs the packages during a build.",
    ...image,
  }),
} as const satisfies Record<
  string,
  Declaration<"text"> | Declaration<"number"> | Declaration<"flag"> | Declaration<"secret"> | Declaration<"file">
>);

export type SettingName = keyof typeof settings;
export const settingNames = Object.keys(settings) as readonly SettingName[];

type TypeOf<Name extends SettingName> = (typeof settings)[Name]["type"];
type NameOf<Type> = { [Name in SettingName]: TypeOf<Name> extends Type ? Name : never }[SettingName];

/** Names of the secret settings. */
export type SecretSettingName = NameOf<"secret">;
type Defaulted<Name extends SettingName> = (typeof settings)[Name] extends { default: unknown } ? Name : never;
/** Names of the settings that always have a value and are not secret. */
export type PlainSettingName = { [Name in SettingName]: Defaulted<Name> }[SettingName];
/** Names of the settings that may be absent. */
export type OptionalSettingName = Exclude<SettingName, SecretSettingName | PlainSettingName>;

/** The given values, read and validated, without defaults. */
export type GivenSettings = { readonly [Name in keyof typeof settings]?: ValueOf<TypeOf<Name>> };

/** The settings that are not secret, with their defaults filled in. */
export type PlainSettings = { readonly [Name in PlainSettingName]: ValueOf<TypeOf<Name>> } & {
  readonly [Name in OptionalSettingName]?: string;
};
