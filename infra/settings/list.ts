/**
 * Every setting, once. From this list come the reading and checking of the stack's configuration and of the environment file, the
 * component's arguments, the configuration section of Pulumi.yaml, .env.example and docs/settings.md (`npm run
 * documents`).
 * @module
 */
import { roles } from "../../database/migrate/roles.ts";
import { address, email, host, image, oneOf, port, range } from "./checks.ts";
import { cloudNativePgSettings } from "./cloudnative-pg-settings.ts";
import { directorySettings } from "./directory-settings.ts";
import { engineSettings } from "./engine-settings.ts";
import { imageSettings } from "./image-settings.ts";
import { kubernetesSettings } from "./kubernetes-settings.ts";
import { partSettings } from "./part-settings.ts";
import { file, flag, number, secret, text } from "./setting.ts";
import type { Setting, ValueOf } from "./setting.ts";
import { strongSecret } from "./strength.ts";
import { tokenSettings } from "./token-settings.ts";

export const settings = {
  engineAccessKey: secret({
    environment: "ENGINE_ACCESS_KEY",
    meaning: "The master key: whoever sends it in `X-Engine-Access-Key` may do everything the engine can do.",
    ...strongSecret(32),
  }),
  serviceApiKey: secret({
    environment: "SERVICE_API_KEY",
    meaning: "The key that callers of the session endpoints send in `x-service-api-key`.",
    ...strongSecret(32),
  }),
  ...engineSettings,
  engineConsole: flag({
    environment: "ENGINE_CONSOLE",
    default: false,
    defaultIn: { local: true },
    meaning: "Whether the console is served at `/` of the console port.",
  }),
  adminEmail: text({
    environment: "ADMIN_EMAIL",
    default: "admin@example.net",
    meaning: "E-mail of the first administrator (role `operator`), who is created once, when there is no user.",
    ...email,
  }),
  adminPassword: secret({
    environment: "ADMIN_PASSWORD",
    meaning: "Password of the first administrator. It is used once; later changes are made in the database of users.",
    ...strongSecret(12),
  }),
  publicHost: text({
    environment: "PUBLIC_HOST",
    default: "localhost",
    meaning: "The name clients use; it is in the URLs and in the certificate that is made here.",
    ...host,
  }),
  hostAddress: text({
    environment: "HOST_ADDRESS",
    default: "127.0.0.1",
    meaning: "The address of the Docker host on which the three ports are published; `0.0.0.0` publishes them on all.",
    ...address,
  }),
  httpPort: number({
    environment: "HTTP_PORT",
    default: 80,
    meaning: "Published port that redirects to https.",
    ...port,
  }),
  httpsPort: number({
    environment: "HTTPS_PORT",
    default: 443,
    meaning: "Published port of the API.",
    ...port,
  }),
  consolePort: number({
    environment: "CONSOLE_PORT",
    default: 32_000,
    meaning: "Published port of the API and, if it is enabled, the console.",
    ...port,
  }),
  tlsCertificateFile: file({
    environment: "TLS_CERTIFICATE_FILE",
    meaning: "Own certificate (PEM, with its chain). Without it one is made, signed by an authority of the stack's own.",
  }),
  tlsPrivateKeyFile: file({
    environment: "TLS_PRIVATE_KEY_FILE",
    meaning: "Private key (PEM) of the own certificate.",
  }),
  tokenLifeSeconds: number({
    environment: "TOKEN_LIFE_SECONDS",
    default: 900,
    meaning: "Seconds until an access token expires.",
    ...range(60, 3600),
  }),
  sessionIdleSeconds: number({
    environment: "SESSION_IDLE_SECONDS",
    default: 900,
    meaning: "Seconds without use after which a session ends.",
    ...range(60, 86_400),
  }),
  sessionAbsoluteSeconds: number({
    environment: "SESSION_ABSOLUTE_SECONDS",
    default: 28_800,
    meaning: "Seconds after login at which a session ends in any case.",
    ...range(60, 604_800),
  }),
  loginAttemptsPerAccount: number({
    environment: "LOGIN_ATTEMPTS_PER_ACCOUNT",
    default: 10,
    meaning: "Failed logins of one account, from any address, before it has to wait.",
    ...range(1, 1000),
  }),
  loginAttemptsPerAddress: number({
    environment: "LOGIN_ATTEMPTS_PER_ADDRESS",
    default: 50,
    meaning: "Failed logins from one address, to any account, before it has to wait.",
    ...range(1, 10_000),
  }),
  ...tokenSettings,
  ...directorySettings,
  bodyLimitKilobytes: number({
    environment: "BODY_LIMIT_KILOBYTES",
    default: 256,
    meaning: "Largest body of a request, in KiB.",
    ...range(1, 10_240),
  }),
  queryDepth: number({
    environment: "QUERY_DEPTH",
    default: 10,
    meaning: "Deepest nesting of a GraphQL operation.",
    ...range(1, 100),
  }),
  queryBreadth: number({
    environment: "QUERY_BREADTH",
    default: 500,
    meaning: "Most fields of a GraphQL operation, all levels together.",
    ...range(1, 10_000),
  }),
  statementTimeoutSeconds: number({
    environment: "STATEMENT_TIMEOUT_SECONDS",
    default: 30,
    meaning: "Seconds after which Postgres gives up a statement of the engine.",
    ...range(1, 3600),
  }),
  enginePoolSize: number({
    environment: "ENGINE_POOL_SIZE",
    default: 10,
    meaning: "Connections of the engine to Postgres.",
    ...range(1, roles.engine.connectionLimit),
  }),
  requestsPerSecondPerAddress: number({
    environment: "REQUESTS_PER_SECOND_PER_ADDRESS",
    default: 50,
    meaning: "Requests a second from one address that the gateway lets through.",
    ...range(1, 100_000),
  }),
  requestBurst: number({
    environment: "REQUEST_BURST",
    default: 100,
    meaning: "Requests from one address above that rate that are served at once before more are answered 429.",
    ...range(1, 100_000),
  }),
  loginRequestsPerMinutePerAddress: number({
    environment: "LOGIN_REQUESTS_PER_MINUTE_PER_ADDRESS",
    default: 30,
    meaning: "Requests a minute from one address to the paths that take a password.",
    ...range(1, 100_000),
  }),
  connectionsPerAddress: number({
    environment: "CONNECTIONS_PER_ADDRESS",
    default: 100,
    meaning: "Connections open at the same time from one address, WebSockets included.",
    ...range(1, 65_535),
  }),
  idleWebSocketSeconds: number({
    environment: "IDLE_WEBSOCKET_SECONDS",
    default: 120,
    meaning: "Seconds after which the gateway closes a WebSocket on which nothing moved, not even a keep-alive.",
    ...range(10, 86_400),
  }),
  logLevel: text({
    environment: "LOG_LEVEL",
    default: "info",
    meaning: "What the engine and the auth sidecar log, and all that is graver.",
    ...oneOf("debug", "info", "warn", "error"),
  }),
  ...partSettings,
  ...kubernetesSettings,
  ...cloudNativePgSettings,
  ...imageSettings,
  debianBase: text({
    environment: "DEBIAN_BASE",
    default: "debian:trixie-slim",
    meaning: "The image that the images are built on.",
    ...image,
  }),
  nodeBase: text({
    environment: "NODE_BASE",
    default: "node:24.21.0-trixie-slim",
    meaning: "The image with Node 24 and npm in which the packages are installed during a build.",
    ...image,
  }),
} as const satisfies Record<string, Setting<"text"> | Setting<"number"> | Setting<"flag"> | Setting<"secret"> | Setting<"file">>;

export type SettingName = keyof typeof settings;
export const settingNames = Object.keys(settings) as readonly SettingName[];

type TypeOf<Name extends SettingName> = (typeof settings)[Name]["type"];
type NameOf<Type> = { [Name in SettingName]: TypeOf<Name> extends Type ? Name : never }[SettingName];

/** Names of the settings whose values are kept secret. */
export type SecretSettingName = NameOf<"secret">;
type Defaulted<Name extends SettingName> = (typeof settings)[Name] extends { default: unknown } ? Name : never;
/** Names of the settings that always have a value and are not secret. */
export type PlainSettingName = { [Name in SettingName]: Defaulted<Name> }[SettingName];
/** Names of the settings that have no value unless one is given. */
export type OptionalSettingName = Exclude<SettingName, SecretSettingName | PlainSettingName>;

/** What was given, as read and checked; nothing filled in. */
export type GivenSettings = { readonly [Name in SettingName]?: ValueOf<TypeOf<Name>> };

/** The settings that are not secret, with their defaults filled in. */
export type PlainSettings = { readonly [Name in PlainSettingName]: ValueOf<TypeOf<Name>> } & {
  readonly [Name in OptionalSettingName]?: string;
};
