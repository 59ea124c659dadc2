import { randomBytes } from "node:crypto";
import { resolve } from "node:path";
import { runLabels } from "./run.ts";
import { GenericContainer, type StartedTestContainer, Wait } from "testcontainers";
import type { StartedDatabaseContainer } from "./database-container.ts";
import { keepInspection, noteSecret } from "./evidence.ts";
import { keepLog } from "./logs.ts";
import { ReachableContainer } from "./container-address.ts";

const PORT = 8080;
const METRICS_PORT = 9090;
const METADATA = "/run/routeql/metadata";
const SECRETS = "/run/routeql/secrets";

/** The project's embedded engine with the project's metadata, or with another folder of metadata. It reaches the database by its alias. */
export class EngineContainer extends GenericContainer {
  private readonly adminSecret = randomBytes(24).toString("hex");

  constructor(imageName: string) {
    super(imageName);
    this.withLabels(runLabels)
      .withExposedPorts(PORT, METRICS_PORT)
      .withNetworkAliases("engine")
      .withEnvironment({ ENGINE_METADATA_DIRECTORY: METADATA })
      .withSecret("HASURA_GRAPHQL_ADMIN_SECRET", this.adminSecret)
      .withLogConsumer(keepLog("engine"))
      .withWaitStrategy(Wait.forHttp("/healthz", PORT))
      .withStartupTimeout(60_000);
  }

  withDatabase(database: StartedDatabaseContainer): this {
    return this.withSecret("ROUTEQL_DATABASE_URL", database.getInternalConnectionUri("engine"));
  }

  /** A metadata directory of this machine; by default {@link start} uses the project's own. */
  withMetadata(directory: string = resolve(import.meta.dirname, "../../hasura-metadata")): this {
    return this.withCopyDirectoriesToContainer([{ source: directory, target: METADATA }]);
  }

  /** Hasura's JSON for HASURA_GRAPHQL_JWT_SECRET. */
  withJwtSecret(secret: Readonly<Record<string, unknown>>): this {
    return this.withEnvironment({ HASURA_GRAPHQL_JWT_SECRET: JSON.stringify(secret) });
  }

  /** Writes a setting to a file, as in a deployment. */
  withSecret(name: string, value: string): this {
    noteSecret(`engine: ${name}`, value);
    const target = `${SECRETS}/${name.toLowerCase().replaceAll("_", "-")}`;
    return this.withCopyContentToContainer([{ target, content: value, mode: 0o444 }]).withEnvironment({
      [`${name}_FILE`]: target,
    });
  }

  override async start(): Promise<StartedEngineContainer> {
    if (this.directoriesToCopy.length === 0) this.withMetadata();
    const started = new StartedEngineContainer(await super.start(), this.adminSecret);
    await keepInspection(started.getId());
    return started;
  }
}

/** A running engine. */
export class StartedEngineContainer extends ReachableContainer {
  private readonly adminSecret: string;

  constructor(container: StartedTestContainer, adminSecret: string) {
    super(container);
    this.adminSecret = adminSecret;
  }

  /** `http://…` without a trailing slash, for processes of this machine. */
  getUrl(): string {
    return `http://${this.getHost()}:${this.getMappedPort(PORT)}`;
  }

  getMetricsUrl(): string {
    return `http://${this.getHost()}:${this.getMappedPort(METRICS_PORT)}/metrics`;
  }

  getAdminSecret(): string {
    return this.adminSecret;
  }
}
