import { RandomPassword } from "@pulumi/random";
import { all, interpolate, secret } from "@pulumi/pulumi";
import type { Output, Resource } from "@pulumi/pulumi";
import { databaseUrl as urlOf } from "../services/database-place.ts";
import type { SecretName, Secrets } from "../services/secrets.ts";
import type { SecretSettingName } from "../settings/list.ts";
import { checked, type GivenSecrets } from "../settings/argument-problems.ts";
import type { DatabaseAccess } from "./database.ts";
import type { ResourceNames } from "./resource-names.ts";

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
] as const satisfies readonly (readonly [SecretSettingName, SecretName])[];

export interface SecretsSurroundings {
  readonly tlsPrivateKey: Output<string>;
  readonly protectData: boolean;
  /** Current generation of the key that encrypts the signing keys, from 1. */
  readonly keyEncryptionKeyGeneration: number;
  readonly database: DatabaseAccess;
  /** Whether the database has an archive, which this secret encrypts. */
  readonly archived?: boolean;
  /** Services whose statistics an exporter reads; each exporter has its own login. */
  readonly monitored?: readonly ("database" | "sessions")[];
  readonly named: ResourceNames;
  readonly parent: Resource;
}

/** The secrets of one deployment. Given secrets are validated; the others are generated once and kept encrypted in the stack's state. */
export function makeSecrets(given: GivenSecrets, surroundings: SecretsSurroundings): Secrets {
  const {
    tlsPrivateKey,
    protectData,
    keyEncryptionKeyGeneration,
    database,
    archived = false,
    monitored = [],
    named,
    parent,
  } = surroundings;
  const generated = (name: SecretName, resource: string = name): Output<string> => {
    const protect = protectData && boundToData.has(name);
    const options = { parent, protect, additionalSecretOutputs: ["result"] };
    return secret(new RandomPassword(named(resource), { length: generatedLength, special: false }, options).result);
  };
  const setting = (name: SecretSettingName, resource: SecretName): Output<string> => {
    const value = given[name];
    return value === undefined ? generated(resource) : checked(name, value);
  };

  const databaseUrl = (user: string, given: Output<string>, at: "host" | "readHost" = "host"): Output<string> =>
    secret(all([database.place, given]).apply(([place, password]) => urlOf(place, place[at], { user, password })));

  // Keeps every generation, so that a generation that was raised too far loses no key.
  const encryptionKeys = Array.from({ length: keyEncryptionKeyGeneration }, (_, index) =>
    generated("key-encryption-key", index === 0 ? "key-encryption-key" : `key-encryption-key-${index + 1}`),
  );
  const previousEncryptionKey = encryptionKeys.at(-2);
  const engine = generated("engine-password");
  const sidecar = generated("sidecar-password");
  const metadata = generated("metadata-password");
  const sessions = generated("sessions-password");
  const bootstrap = generated("bootstrap-password");
  const sessionsMonitor = monitored.includes("sessions") ? generated("sessions-monitor-password") : undefined;
  return {
    "engine-access-key": setting("engineAccessKey", "engine-access-key"),
    "service-api-key": setting("serviceApiKey", "service-api-key"),
    "admin-password": setting("adminPassword", "admin-password"),
    "key-encryption-key": encryptionKeys.at(-1)!,
    ...(previousEncryptionKey === undefined ? {} : { "previous-key-encryption-key": previousEncryptionKey }),
    "bootstrap-password": bootstrap,
    ...(database.bootstrapUrl === undefined ? {} : { "bootstrap-database-url": database.bootstrapUrl(bootstrap) }),
    "owner-password": generated("owner-password"),
    "engine-password": engine,
    "sidecar-password": sidecar,
    "loader-password": generated("loader-password"),
    "backup-password": generated("backup-password"),
    "metadata-password": metadata,
    "sessions-password": sessions,
    "engine-database-url": databaseUrl("routeql_engine", engine, "readHost"),
    "engine-primary-database-url": databaseUrl("routeql_engine", engine),
    "sidecar-database-url": databaseUrl("routeql_sidecar", sidecar),
    "metadata-database-url": databaseUrl("routeql_metadata", metadata),
    "sessions-url":
      given.sessionsUrl === undefined
        ? secret(interpolate`redis://:${sessions}@sessions:6379/0`)
        : checked("sessionsUrl", given.sessionsUrl),
    "tls-private-key": secret(tlsPrivateKey),
    ...(monitored.includes("database") ? { "monitor-password": generated("monitor-password") } : {}),
    ...(sessionsMonitor === undefined
      ? {}
      : {
          "sessions-monitor-password": sessionsMonitor,
          // The exporter's password file: passwords by address.
          "sessions-monitor-login": secret(interpolate`{"redis://monitor@sessions:6379":"${sessionsMonitor}"}`),
        }),
    ...(archived ? { "archive-key": generated("archive-key") } : {}),
    ...Object.fromEntries(
      passedOn.flatMap(([name, secretName]) => {
        const value = given[name];
        return value === undefined ? [] : [[secretName, checked(name, value)]];
      }),
    ),
  };
}
