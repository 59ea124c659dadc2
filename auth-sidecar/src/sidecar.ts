import { readFileSync } from "node:fs";
import { stopServer } from "@routeql/contract/stop-server";
import { startTracing } from "@routeql/tracing/tracing";
import type { Logger } from "pino";
import { z } from "zod";
import { createApplication } from "./application.ts";
import { AuditTrail } from "./audit/audit-trail.ts";
import { ThrottledLogins } from "./audit/throttled-logins.ts";
import { accountPseudonym, Authenticator } from "./credentials/authenticator.ts";
import { LocalAccounts } from "./credentials/local-accounts.ts";
import { Database, replicaName } from "./database.ts";
import { endpoints } from "./endpoints/endpoints.ts";
import { readinessCheck } from "./endpoints/readiness.ts";
import { createHttpServer, listen } from "./http/server.ts";
import { prepare, startKeyCare } from "./keys/key-care.ts";
import { KeyEncryption } from "./keys/key-encryption.ts";
import { KeyRotation, rotationPolicy } from "./keys/key-rotation.ts";
import { KeyRepository, Keyring } from "./keys/keyring.ts";
import { DirectoryAccounts } from "./ldap/directory-accounts.ts";
import { DirectoryLogin } from "./ldap/directory-login.ts";
import { startDirectoryWatch } from "./ldap/directory-watch.ts";
import { Directory } from "./ldap/directory.ts";
import { hasDirectory } from "./ldap/directory-connection.ts";
import { createMetrics, createMetricsServer } from "./metrics.ts";
import { Passwords } from "./passwords/passwords.ts";
import { connectRedis } from "./sessions/redis.ts";
import { SessionStore } from "./sessions/session-store.ts";
import type { Settings } from "./settings.ts";
import { Throttle } from "./throttle/throttle.ts";
import { revocationMargin, Revocations } from "./revocations.ts";
import { TokenIssuer } from "./tokens/token-issuer.ts";
import { UserRepository } from "./users.ts";

export interface Sidecar {
  readonly port: number;
  readonly metricsPort: number;
  /** Settles when the first key and the first administrator exist; rejects when they cannot be created. */
  readonly prepared: Promise<void>;
  /** Reports not ready, waits for running requests, then closes its connections. */
  stop(): Promise<void>;
}

/** Starts the service. It listens at once and is ready when its dependencies are. */
export async function startSidecar(settings: Settings, log: Logger, host?: string): Promise<Sidecar> {
  const metrics = createMetrics();
  const tracing = await startTracing({
    service: "routeql-auth-sidecar",
    version: sidecarVersion,
    endpoint: settings.TRACE_ENDPOINT,
    percent: settings.TRACE_PERCENT,
    onEvent: (event) => {
      if (event.type === "failed")
        log.warn({ reason: event.reason }, "the collector of traces does not answer; traces are lost");
      else log.info("the collector of traces answers again");
    },
  });
  const database = new Database({
    url: settings.DATABASE_URL,
    poolSize: settings.DATABASE_POOL_SIZE,
    log,
    name: replicaName(),
  });
  const redis = connectRedis(settings.SESSIONS_URL, settings.SESSIONS_CA, log);
  const passwords = new Passwords({
    concurrency: settings.PASSWORD_HASH_CONCURRENCY,
    queue: settings.PASSWORD_HASH_QUEUE,
  });
  metrics.gauge("auth_password_hashes_running", "Password hashes at work.", () => passwords.running);
  metrics.gauge("auth_password_hashes_waiting", "Logins that wait for a hash.", () => passwords.waiting);
  const users = new UserRepository(database);
  const margin = revocationMargin(settings.TOKEN_CLOCK_TOLERANCE_SECONDS);
  const audit = new AuditTrail(database, log, margin);
  const throttled = new ThrottledLogins(audit);
  const encryption = new KeyEncryption(settings.KEY_ENCRYPTION_KEY, settings.PREVIOUS_KEY_ENCRYPTION_KEY);
  const keys = new KeyRepository(database, encryption);
  const rotation = new KeyRotation(database, encryption, rotationPolicy(settings));
  const keyring = new Keyring(() => keys.published());
  const revocations = new Revocations(database, margin);
  const throttle = new Throttle(redis, settings);
  const stopping = new AbortController();

  const sessions = new SessionStore(redis, settings);
  const accounts = new DirectoryAccounts(database, audit, settings.TOKEN_CLOCK_TOLERANCE_SECONDS);
  const directory = hasDirectory(settings)
    ? new DirectoryLogin(new Directory(settings, log), accounts, sessions)
    : undefined;

  const application = createApplication(
    endpoints({
      settings,
      authenticator: new Authenticator({
        throttle,
        audit,
        throttled,
        pseudonym: accountPseudonym(settings.KEY_ENCRYPTION_KEY),
      }),
      local: new LocalAccounts(users, passwords),
      directory,
      sessions,
      users,
      tokens: new TokenIssuer(keyring, {
        issuer: settings.TOKEN_ISSUER,
        audience: settings.TOKEN_AUDIENCE,
        lifeSeconds: settings.TOKEN_LIFE_SECONDS,
      }),
      keyring,
      revocations,
      audit,
      metrics,
      readiness: readinessCheck({ database, redis, keyring, stopping: () => stopping.signal.aborted }),
    }),
    log,
    metrics,
    { tracing, gatewayKey: settings.GATEWAY_KEY },
  );
  const server = createHttpServer(application);
  const metricsServer = createMetricsServer(metrics.registry);
  const port = await listen(server, settings.PORT, host);
  const metricsPort = await listen(metricsServer, settings.METRICS_PORT, host);

  const prepared = prepare({ database, encryption, rotation, keyring, revocations, audit, log }, stopping.signal);
  prepared.catch(() => undefined);
  let keysCared = Date.now();
  metrics.gauge(
    "auth_keys_cared_timestamp_seconds",
    "Time at which the signing keys were last checked, rotated when due and read again.",
    () => keysCared / 1000,
  );
  const onSuccess = (): void => void (keysCared = Date.now());
  const stopKeyCare = startKeyCare(
    { database, encryption, rotation, keyring, revocations, audit, log, onSuccess },
    settings.KEY_REFRESH_SECONDS * 1000,
    prepared,
  );
  const stopDirectoryWatch =
    directory === undefined
      ? () => undefined
      : startDirectoryWatch(
          { directory, accounts, log, lifeSeconds: settings.TOKEN_LIFE_SECONDS },
          settings.LDAP_CHECK_SECONDS,
        );

  return {
    port,
    metricsPort,
    prepared,
    async stop() {
      stopping.abort();
      stopKeyCare();
      stopDirectoryWatch();
      await stopServer(server, settings.SHUTDOWN_SECONDS * 1000);
      await stopServer(metricsServer, 0);
      await throttled.stop();
      redis.disconnect();
      await Promise.all([database.close(), tracing?.stop()]);
    },
  };
}

const description = z.object({ version: z.string() });

const sidecarVersion: string = description.parse(
  JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")),
).version;
