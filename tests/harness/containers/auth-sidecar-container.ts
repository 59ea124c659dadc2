import { randomBytes } from "node:crypto";
import type { StartedDatabaseContainer } from "./database-container.ts";
import { ServiceContainer, type StartedServiceContainer } from "./service-container.ts";
import type { StartedSessionsContainer } from "./sessions-container.ts";

/**
 * The kit's auth sidecar. It reaches the database and the session store by their aliases, so all three join one network:
 * `await new AuthSidecarContainer(await image("auth-sidecar")).withNetworkMode(network.name).withDatabase(database).withSessions(sessions).start()`.
 * Its secret ADMIN_PASSWORD is the one of the first administrator, admin@example.net.
 */
export class AuthSidecarContainer extends ServiceContainer {
  private database?: StartedDatabaseContainer;

  constructor(imageName: string) {
    super(imageName, "auth-sidecar", "/readyz");
    this.withSecret("SERVICE_API_KEY", randomBytes(24).toString("hex"));
    this.withSecret("KEY_ENCRYPTION_KEY", randomBytes(32).toString("base64"));
  }

  withDatabase(database: StartedDatabaseContainer): this {
    this.database = database;
    return this.withSecret("DATABASE_URL", database.getInternalConnectionUri("sidecar"));
  }

  withSessions(sessions: StartedSessionsContainer): this {
    return this.withSecret("SESSIONS_URL", sessions.getInternalConnectionUri());
  }

  override async start(): Promise<StartedServiceContainer> {
    const password = randomBytes(24).toString("hex");
    this.secrets.set("ADMIN_PASSWORD", password);
    await this.database?.migrate({ email: "admin@example.net", password });
    return super.start();
  }
}
