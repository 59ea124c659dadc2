import { randomBytes } from "node:crypto";
import { runLabels } from "./run.ts";
import { GenericContainer, type StartedTestContainer, Wait } from "testcontainers";
import type { StartedDatabaseContainer } from "./database-container.ts";
import { keepInspection, noteSecret } from "./evidence.ts";
import { keepLog } from "./logs.ts";
import { ReachableContainer } from "./container-address.ts";
import type { StartedSessionsContainer } from "./sessions-container.ts";

const PORT = 8080;
const METRICS_PORT = 9090;
const SECRETS = "/run/routeql/secrets";

/**
 * The kit's auth sidecar. It reaches the database and the session store by their aliases, so all three join one network:
 * `await new AuthSidecarContainer(await image("auth-sidecar")).withNetworkMode(network.name).withDatabase(database).withSessions(sessions).start()`.
 */
export class AuthSidecarContainer extends GenericContainer {
  private readonly serviceApiKey = randomBytes(24).toString("hex");
  private readonly adminPassword = randomBytes(24).toString("hex");
  private database?: StartedDatabaseContainer;

  constructor(imageName: string) {
    super(imageName);
    this.withLabels(runLabels)
      .withExposedPorts(PORT, METRICS_PORT)
      .withNetworkAliases("auth-sidecar")
      .withSecret("SERVICE_API_KEY", this.serviceApiKey)
      .withSecret("KEY_ENCRYPTION_KEY", randomBytes(32).toString("base64"))
      .withLogConsumer(keepLog("auth-sidecar"))
      .withWaitStrategy(Wait.forHttp("/readyz", PORT))
      .withStartupTimeout(60_000);
  }

  withDatabase(database: StartedDatabaseContainer): this {
    this.database = database;
    return this.withSecret("DATABASE_URL", database.getInternalConnectionUri("sidecar"));
  }

  withSessions(sessions: StartedSessionsContainer): this {
    return this.withSecret("SESSIONS_URL", sessions.getInternalConnectionUri());
  }

  /** Writes a setting to a file, as in a deployment. */
  withSecret(name: string, value: string): this {
    noteSecret(`auth-sidecar: ${name}`, value);
    const target = `${SECRETS}/${name.toLowerCase().replaceAll("_", "-")}`;
    return this.withCopyContentToContainer([{ target, content: value, mode: 0o444 }]).withEnvironment({
      [`${name}_FILE`]: target,
    });
  }

  override async start(): Promise<StartedAuthSidecarContainer> {
    await this.database?.migrate({ email: "admin@example.net", password: this.adminPassword });
    const started = new StartedAuthSidecarContainer(await super.start(), this.serviceApiKey, this.adminPassword);
    await keepInspection(started.getId());
    return started;
  }
}

/** A running auth sidecar. */
export class StartedAuthSidecarContainer extends ReachableContainer {
  private readonly serviceApiKey: string;
  private readonly adminPassword: string;

  constructor(container: StartedTestContainer, serviceApiKey: string, adminPassword: string) {
    super(container);
    this.serviceApiKey = serviceApiKey;
    this.adminPassword = adminPassword;
  }

  /** `http://…` without a trailing slash, for processes of this machine. */
  getUrl(): string {
    return `http://${this.getHost()}:${this.getMappedPort(PORT)}`;
  }

  getMetricsUrl(): string {
    return `http://${this.getHost()}:${this.getMappedPort(METRICS_PORT)}/metrics`;
  }

  getServiceApiKey(): string {
    return this.serviceApiKey;
  }

  /** The first administrator's password; the account is admin@example.net. */
  getAdminPassword(): string {
    return this.adminPassword;
  }
}
