import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import type { StartedDatabaseContainer } from "./database-container.ts";
import { ServiceContainer } from "./service-container.ts";

const METADATA = "/run/routeql/metadata";

/** The project's embedded engine with the project's metadata. It reaches the database by its alias. */
export class EngineContainer extends ServiceContainer {
  constructor(imageName: string) {
    super(imageName, "engine", "/healthz");
    this.withEnvironment({ ENGINE_METADATA_DIRECTORY: METADATA })
      .withCopyDirectoriesToContainer([
        { source: resolve(import.meta.dirname, "../../../hasura-metadata"), target: METADATA },
      ])
      .withSecret("HASURA_GRAPHQL_ADMIN_SECRET", randomBytes(24).toString("hex"));
  }

  withDatabase(database: StartedDatabaseContainer): this {
    return this.withSecret("ROUTEQL_DATABASE_URL", database.getInternalConnectionUri("engine"));
  }

  /** Hasura's JSON for HASURA_GRAPHQL_JWT_SECRET. */
  withJwtSecret(secret: Readonly<Record<string, unknown>>): this {
    return this.withEnvironment({ HASURA_GRAPHQL_JWT_SECRET: JSON.stringify(secret) });
  }
}
