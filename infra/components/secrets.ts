import { RandomPassword } from "@pulumi/random";
import { all, interpolate, secret } from "@pulumi/pulumi";
import type { Output, Resource } from "@pulumi/pulumi";
import { renderGatewayKey } from "@routeql/nginx/render";
import { databaseUrl as urlOf } from "../services/database-place.ts";
import type { SecretName, Secrets } from "../description/secrets.ts";
import { webConfiguration } from "../monitoring/login.ts";
import { serviceLogin } from "../services/database-place.ts";
import type { Settings, SecretSettingName } from "../settings/list.ts";
import type { GivenSecrets } from "../settings/reading/argument-problems.ts";
import type { DatabaseAccess } from "./database.ts";
import type { ResourceNames } from "../resource-names.ts";

/** Letters and digits of a generated secret: about 256 bits. */
const generatedLength = 43;

/** Without them the signing keys, the first administrator's account and the archive cannot be opened. */
const boundToData: ReadonlySet<SecretName> = new Set(["key-encryption-key", "admin-password", "archive-key"]);

/** Given secrets that reach their services unchanged. */
const passedOn = [
  ["alertWebhookUrl", "alert-webhook-url"],
  ["alertWatchdogUrl", "alert-watchdog-url"],
  ["alertSmtpPassword", "alert-smtp-password"],
  ["ldapBindPassword", "ldap-bind-password"],
  ["backupAccessKeyId", "storage-key-id"],
  ["backupSecretAccessKey", "storage-key"],
] as const satisfies readonly (readonly [SecretSettingName, SecretName])[];

export type Generations = Pick<
  Settings,
  | "target"
  | "database"
  | "databasePasswordsGeneration"
  | "sessionsPasswordGeneration"
  | "serviceApiKeyGeneration"
  | "engineAccessKeyGeneration"
  | "keyEncryptionKeyGeneration"
>;

export interface SecretsOptions {
  readonly tlsPrivateKey: Output<string>;
  readonly protectData: boolean;
  /** Generations of the secrets, from 1, and whether services use the second logins of the database. */
  readonly generations: Generations;
  readonly database: DatabaseAccess;
  /** Whether the database has an archive, which this secret encrypts. */
  readonly archived?: boolean;
  /** Whether an exporter with its own login reads the database's statistics. */
  readonly databaseMonitored?: boolean;
  /** Whether the feed has its own login. */
  readonly fed?: boolean;
  /** Whether the stack has a Prometheus and an Alertmanager, which require a login. */
  readonly collectsMetrics?: boolean;
  readonly named: ResourceNames;
  readonly parent: Resource;
}

/** The generated key stays in the state beside a given one: it is protected there, and opens backups of the time before. */
const archiveKey = ({ archiveKey: key }: GivenSecrets, own: Output<string>): Output<string> =>
  key === undefined ? own : secret(key);

const monitoringLogin = (password: Output<string>) => ({
  "monitoring-password": password,
  "monitoring-web-configuration": secret(password.apply(webConfiguration)),
});

/** The secrets of one deployment. Given secrets are validated; the others are generated once and kept encrypted in the stack's state. */
export function makeSecrets(given: GivenSecrets, options: SecretsOptions): Secrets {
  const {
    tlsPrivateKey,
    protectData,
    generations,
    database,
    archived = false,
    databaseMonitored = false,
    fed = false,
    collectsMetrics = false,
    named,
    parent,
  } = options;
  /** Another generation is another resource. That of generation 1 has the plain name, as in states of earlier versions. */
  const generated = (name: SecretName | "sessions-password", generation = 1): Output<string> => {
    const resource = generation === 1 ? name : `${name}-${generation}`;
    const protect = protectData && boundToData.has(name as SecretName);
    const options = { parent, protect, additionalSecretOutputs: ["result"] };
    return secret(new RandomPassword(named(resource), { length: generatedLength, special: false }, options).result);
  };
  const setting = (name: SecretSettingName, resource: SecretName, generation?: number): Output<string> => {
    const value = given[name];
    return value === undefined ? generated(resource, generation) : secret(value);
  };

  const databaseUrl = (user: string, given: Output<string>, at: "host" | "readHost" = "host"): Output<string> =>
    secret(all([database.place, given]).apply(([place, password]) => urlOf(place, place[at], { user, password })));

  const { serviceApiKeyGeneration, engineAccessKeyGeneration, sessionsPasswordGeneration } = generations;
  const passwords = generations.databasePasswordsGeneration;
  // A changed Secret would restart the database's pod.
  const bootstraps = generations.target === "kubernetes" && generations.database === "single" ? 1 : passwords;
  // Keeps every generation, so that a generation that was raised too far loses no key. Before the first one there is a key of no use:
  // with another set of files a service could not be replaced beside its predecessor.
  const encryptionKeys = Array.from({ length: generations.keyEncryptionKeyGeneration + 1 }, (_, generation) =>
    generated("key-encryption-key", generation),
  );
  const engine = generated("engine-password", passwords);
  const sidecar = generated("sidecar-password", passwords);
  const metadata = generated("metadata-password", passwords);
  const sessions = generated("sessions-password", sessionsPasswordGeneration);
  // Another user for each generation: the store deletes the former one with its connections.
  const sessionsUser = `sidecar-${sessionsPasswordGeneration}`;
  const bootstrap = generated("bootstrap-password", bootstraps);
  const gateway = generated("gateway-key");
  const feedLogin = () => {
    const password = generated("feed-password", passwords);
    return { "feed-password": password, "feed-database-url": databaseUrl("routeql_feed", password) };
  };
  // Also without monitoring, which then does not restart the session store.
  const sessionsMonitor = generated("sessions-monitor-password", sessionsPasswordGeneration);
  return {
    "engine-access-key": setting("engineAccessKey", "engine-access-key", engineAccessKeyGeneration),
    "previous-engine-access-key": setting(
      "previousEngineAccessKey",
      "engine-access-key",
      engineAccessKeyGeneration - 1,
    ),
    "engine-upstream-key": generated("engine-upstream-key"),
    "gateway-key": gateway,
    "gateway-key-header": secret(gateway.apply(renderGatewayKey)),
    "service-api-key": setting("serviceApiKey", "service-api-key", serviceApiKeyGeneration),
    "previous-service-api-key": setting("previousServiceApiKey", "service-api-key", serviceApiKeyGeneration - 1),
    "admin-password": setting("adminPassword", "admin-password"),
    "key-encryption-key": encryptionKeys.at(-1)!,
    "previous-key-encryption-key": encryptionKeys.at(-2)!,
    "bootstrap-password": bootstrap,
    "previous-bootstrap-password": generated("bootstrap-password", bootstraps - 1),
    ...(database.bootstrapUrl === undefined ? {} : { "bootstrap-database-url": database.bootstrapUrl(bootstrap) }),
    "owner-password": generated("owner-password", passwords),
    "engine-password": engine,
    "sidecar-password": sidecar,
    "loader-password": generated("loader-password", passwords),
    "backup-password": generated("backup-password", passwords),
    "metadata-password": metadata,
    "sessions-login": secret(interpolate`${sessionsUser} ${sessions}`),
    "sessions-monitor-password": sessionsMonitor,
    // The exporter's password file: passwords by address.
    "sessions-monitor-login": secret(interpolate`{"redis://monitor@sessions:6379":"${sessionsMonitor}"}`),
    "engine-database-url": databaseUrl(serviceLogin("engine", generations), engine, "readHost"),
    "engine-primary-database-url": databaseUrl(serviceLogin("engine", generations), engine),
    "sidecar-database-url": databaseUrl(serviceLogin("sidecar", generations), sidecar),
    "metadata-database-url": databaseUrl(serviceLogin("metadata", generations), metadata),
    "sessions-url":
      given.sessionsUrl === undefined
        ? secret(interpolate`redis://${sessionsUser}:${sessions}@sessions:6379/0`)
        : secret(given.sessionsUrl),
    "tls-private-key": secret(tlsPrivateKey),
    ...(databaseMonitored ? { "monitor-password": generated("monitor-password", passwords) } : {}),
    ...(fed ? feedLogin() : {}),
    ...(collectsMetrics ? monitoringLogin(generated("monitoring-password")) : {}),
    ...(archived ? { "archive-key": archiveKey(given, generated("archive-key")) } : {}),
    ...Object.fromEntries(
      passedOn.flatMap(([name, secretName]) => {
        const value = given[name];
        return value === undefined ? [] : [[secretName, secret(value)]];
      }),
    ),
  };
}
