/** Every setting, once: the source of reading and checks, arguments, Pulumi.yaml, .env.example and docs/reference/settings.md. */
import type { Input } from "@pulumi/pulumi";
import { roles } from "@routeql/database/migrate/roles";
import { pins } from "@routeql/pins/pins";
import { addresses, email, host, image, numbersByRole, oneOf, port, range, strongSecret } from "./values/checks.ts";
import { archiveSettings, cloudNativePgSettings, partSettings } from "./declared/data-stores.ts";
import { directorySettings, sidecarNumbers, tokenSettings } from "./declared/sidecar.ts";
import { feedSettings } from "./declared/feed.ts";
import { engineSettings, imageSettings } from "./declared/images.ts";
import { kubernetesSettings } from "./declared/kubernetes.ts";
import { monitoringSettings } from "./declared/monitoring.ts";
import { rotationSettings } from "./declared/rotation.ts";
import { origins } from "./values/addresses.ts";
import { ownMetadata, ownMigrations } from "./values/own-metadata.ts";
import { networkSettings } from "./declared/network.ts";
import { file, flag, number, secret, text, withEnvironmentNames } from "./values/setting.ts";
import type { Declaration, ValueOf } from "./values/setting.ts";

export const settings = withEnvironmentNames({
  engineAccessKey: secret({
    meaning: "Master key of the engine (`X-Engine-Access-Key`): full access.",
    ...strongSecret(32),
  }),
  serviceApiKey: secret({
    meaning: "Service key of the session endpoints (`x-service-api-key`).",
    ...strongSecret(32),
  }),
  ...engineSettings,
  metadata: file({
    structural: true,
    meaning: "Folder with Hasura metadata of your own, which joins that of RouteQL.",
    ...ownMetadata,
  }),
  migrations: file({
    structural: true,
    meaning: "Folder with SQL migrations of your own, applied after those of RouteQL.",
    ...ownMigrations,
  }),
  engineMutations: flag({ default: true, meaning: "Serve the mutations that permissions allow." }),
  engineLiveQueries: text({
    default: "push",
    meaning: "Embedded engine: live queries run after notices of changes (`push`), or only at intervals (`poll`).",
    ...oneOf("push", "poll"),
  }),
  engineLiveQueryBudget: number({
    default: 10,
    meaning: "Embedded engine: percent of its connections' time for live queries that notices cause.",
    ...range(1, 100),
  }),
  engineConsole: flag({
    structural: true,
    default: false,
    defaultIn: { local: true },
    meaning: "Serve the console at `/` of the console port.",
  }),
  engineMetadataApi: flag({
    structural: true,
    default: false,
    meaning: "Open the metadata and SQL APIs at the console port, for Hasura's command line.",
  }),
  adminEmail: text({
    default: "admin@example.net",
    meaning: "E-mail address of the first operator, created if there is no user.",
    ...email,
  }),
  adminPassword: secret({
    meaning: "First password of that operator. To change it later: `npm run users -- password`.",
    ...strongSecret(12),
  }),
  publicHost: text({
    default: "localhost",
    meaning: "Host name that clients use, in URLs and in the generated certificate.",
    ...host,
  }),
  hostAddress: text({
    default: "127.0.0.1",
    meaning: "Docker: host addresses of the published ports; `*` for all of IPv4 and IPv6, `0.0.0.0` for all of IPv4.",
    ...addresses,
  }),
  httpPort: number({ default: 80, meaning: "Published port that redirects to https.", ...port }),
  httpsPort: number({ default: 443, meaning: "Published port of the API.", ...port }),
  consolePort: number({
    default: 32_000,
    meaning: "Published port of the API and, if enabled, of the console.",
    ...port,
  }),
  corsOrigins: text({
    meaning: "Origins of web applications that may call the API from a browser, separated by commas; `*` allows all.",
    ...origins,
  }),
  ...networkSettings,
  tlsCertificateFile: file({ meaning: "Your certificate (PEM, with its chain). Without it the stack signs one." }),
  tlsPrivateKeyFile: file({ confidential: true, meaning: "Private key (PEM) of your certificate." }),
  tlsCaFile: file({
    meaning:
      "Certificate authorities (PEM) that clients trust for your certificate. Without it: public ones, or the self-signed end of the chain.",
  }),
  ...sidecarNumbers,
  ...tokenSettings,
  ...rotationSettings,
  ...directorySettings,
  queryDepth: number({ default: 10, meaning: "Maximum depth of a GraphQL operation.", ...range(1, 100) }),
  queryBreadth: number({
    default: 500,
    meaning: "Maximum number of fields of a GraphQL operation.",
    ...range(1, 10_000),
  }),
  statementTimeoutSeconds: number({ default: 30, meaning: "Time limit of a statement.", ...range(1, 3600) }),
  statementTimeoutSecondsByRole: text({
    default: "viewer=10",
    meaning: "Embedded engine: shorter time limits for some roles.",
    ...numbersByRole(1, 3600),
  }),
  enginePoolSize: number({
    default: 10,
    meaning: "Maximum connections of one engine to Postgres.",
    // One more connection listens for changes.
    ...range(1, roles.engine.connectionLimit - 1),
  }),
  requestsPerSecondPerAddress: number({ default: 50, meaning: "Rate limit of one address.", ...range(1, 100_000) }),
  requestBurst: number({ default: 100, meaning: "Requests above that rate before 429.", ...range(1, 100_000) }),
  loginRequestsPerMinutePerAddress: number({
    group: "gateway",
    default: 30,
    meaning: "Rate limit of logins from one address.",
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
    meaning: "The gateway closes a WebSocket without any traffic after this time.",
    ...range(10, 86_400),
  }),
  logLevel: text({
    default: "info",
    meaning: "Minimum log level: debug, info, warn or error.",
    ...oneOf("debug", "info", "warn", "error"),
  }),
  ...partSettings,
  ...kubernetesSettings,
  ...archiveSettings,
  ...cloudNativePgSettings,
  ...feedSettings,
  ...monitoringSettings,
  ...imageSettings,
  processorLimit: number({ default: 4, meaning: "Docker: maximum processors of one container.", ...range(1, 256) }),
  debianBase: text({ default: pins.debian.image, meaning: "Base image of the built images.", ...image }),
  nodeBase: text({ default: pins.node.image, meaning: "Image with Node 24 and npm for builds.", ...image }),
} as const satisfies Record<
  string,
  Declaration<"text"> | Declaration<"number"> | Declaration<"flag"> | Declaration<"secret"> | Declaration<"file">
>);

export type SettingName = keyof typeof settings;
export const settingNames = Object.keys(settings) as readonly SettingName[];

type TypeOf<Name extends SettingName> = (typeof settings)[Name]["type"];
type NameOf<Type> = { [Name in SettingName]: TypeOf<Name> extends Type ? Name : never }[SettingName];

export type SecretSettingName = NameOf<"secret">;
type Defaulted<Name extends SettingName> = (typeof settings)[Name] extends { default: unknown } ? Name : never;
/** Names of the settings that always have a value and are not secret. */
export type PlainSettingName = { [Name in SettingName]: Defaulted<Name> }[SettingName];
export type OptionalSettingName = Exclude<SettingName, SecretSettingName | PlainSettingName>;

/** The given values, read and validated, without defaults. */
export type GivenSettings = { readonly [Name in keyof typeof settings]?: ValueOf<TypeOf<Name>> };

/** The same, where values that decide no resource's existence may be outputs of other resources. */
type Inputs<Values> = {
  readonly [Name in keyof Values]: Name extends SettingName
    ? (typeof settings)[Name] extends { structural: true }
      ? Values[Name]
      : Input<NonNullable<Values[Name]>> | Extract<Values[Name], undefined>
    : never;
};
export type GivenInputs = Inputs<GivenSettings>;

/** The settings that are not secret, with their defaults filled in. */
export type PlainSettings = { readonly [Name in PlainSettingName]: ValueOf<TypeOf<Name>> } & {
  readonly [Name in OptionalSettingName]?: string;
};
export type Settings = Inputs<PlainSettings>;
