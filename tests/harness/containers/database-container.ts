import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { runLabels } from "../run/run.ts";
import { Client } from "pg";
import { GenericContainer, type StartedTestContainer, Wait } from "testcontainers";
import { keepInspection, noteSecret } from "../run/evidence.ts";
import { migratedImage } from "./database-image.ts";
import { keepLog } from "../run/logs.ts";
import { ReachableContainer } from "./container-address.ts";
import { mustRun } from "../process.ts";

const DATABASE_PORT = 5432;
/** Time limit in milliseconds. */
const CONNECTION_TIMEOUT = 20_000;
const DATABASE = "routeql";
const BOOTSTRAP_PASSWORD_FILE = "/run/routeql/secrets/bootstrap-password";
const repository = resolve(import.meta.dirname, "../../..");

/** The database's login roles by their short names. */
export const databaseRoles = {
  bootstrap: "postgres",
  owner: "routeql_owner",
  engine: "routeql_engine",
  sidecar: "routeql_sidecar",
  loader: "routeql_loader",
  backup: "routeql_backup",
  metadata: "routeql_metadata",
  feed: "routeql_feed",
} as const;

export type DatabaseRole = keyof typeof databaseRoles;

/** The project's Postgres with every migration applied; `await using database = await new DatabaseContainer(await image("database")).start()`. */
export class DatabaseContainer extends GenericContainer {
  private readonly passwords = newPasswords();
  private schema: "migrated here" | "in the image" | "none" = "migrated here";

  constructor(imageName: string) {
    super(imageName);
    this.withLabels(runLabels)
      .withExposedPorts(DATABASE_PORT)
      .withEnvironment({ POSTGRES_DB: DATABASE, POSTGRES_PASSWORD_FILE: BOOTSTRAP_PASSWORD_FILE })
      .withCopyContentToContainer([{ target: BOOTSTRAP_PASSWORD_FILE, content: this.passwords.bootstrap, mode: 0o444 }])
      .withNetworkAliases("database")
      .withLogConsumer(keepLog("database"))
      .withWaitStrategy(Wait.forListeningPorts())
      .withStartupTimeout(90_000);
  }

  /** Starts an empty database instead: no roles, no migrations. */
  withoutMigrations(): this {
    this.schema = "none";
    return this;
  }

  /** For an image with all roles and migrations: only sets this container's passwords. */
  withSchemaOfImage(): this {
    this.schema = "in the image";
    return this;
  }

  override async start(): Promise<StartedDatabaseContainer> {
    for (const [role, password] of Object.entries(this.passwords)) noteSecret(`password of ${role}`, password);
    const started = new StartedDatabaseContainer(await super.start(), this.passwords);
    await keepInspection(started.getId());
    try {
      await started.untilReady();
      if (this.schema === "migrated here") await started.migrate();
      if (this.schema === "in the image") await started.setPasswords();
    } catch (error) {
      await started.stop();
      throw error;
    }
    return started;
  }
}

/** A running database. Addresses are for processes of this machine unless stated otherwise. */
export class StartedDatabaseContainer extends ReachableContainer {
  private readonly passwords: Readonly<Record<DatabaseRole, string>>;

  constructor(container: StartedTestContainer, passwords: Readonly<Record<DatabaseRole, string>>) {
    super(container);
    this.passwords = passwords;
  }

  getPort(): number {
    return this.getMappedPort(DATABASE_PORT);
  }

  getPassword(role: DatabaseRole): string {
    return this.passwords[role];
  }

  /** `postgres://…`, for processes of this machine. */
  getConnectionUri(role: DatabaseRole): string {
    return this.uri(role, `${this.getHost()}:${this.getPort()}`);
  }

  /** `postgres://…` for containers on the same network, where its alias is `database`. */
  getInternalConnectionUri(role: DatabaseRole): string {
    return this.uri(role, `database:${DATABASE_PORT}`);
  }

  /** A connected client; closed by `await using`. */
  async connect(role: DatabaseRole): Promise<Client & AsyncDisposable> {
    const client = new Client({
      connectionString: this.getConnectionUri(role),
      connectionTimeoutMillis: CONNECTION_TIMEOUT,
    });
    // A test may stop the database while a client is idle. The error of an idle client does not matter, because a later statement fails
    // itself.
    client.on("error", () => undefined);
    await client.connect();
    return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
  }

  /**
   * Applies roles, passwords and migrations like the migrate job; a second run changes nothing. Returns its output.
   * @param administrator created when there is no account
   * @param own further variables of the job
   */
  async migrate(
    administrator?: { readonly email: string; readonly password: string },
    own: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), "routeql-migrate-"));
    try {
      const env: NodeJS.ProcessEnv = {
        PATH: process.env["PATH"],
        NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
        DATABASE_HOST: this.getHost(),
        DATABASE_PORT: String(this.getPort()),
        DATABASE_NAME: DATABASE,
        ...own,
      };
      const passwords =
        administrator === undefined ? this.passwords : { ...this.passwords, admin: administrator.password };
      if (administrator !== undefined) env["ADMIN_EMAIL"] = administrator.email;
      for (const [role, password] of Object.entries(passwords)) {
        const file = join(folder, `${role}-password`);
        await writeFile(file, password, { mode: 0o600 });
        env[`${role.toUpperCase()}_PASSWORD_FILE`] = file;
      }
      return await mustRun(process.execPath, ["database/migrate/main.ts"], { cwd: repository, env });
    } finally {
      await rm(folder, { recursive: true });
    }
  }

  /** Replaces the passwords of the image's roles. */
  async setPasswords(): Promise<void> {
    await using client = await this.connect("bootstrap");
    for (const [role, password] of Object.entries(this.passwords))
      await client.query(`alter role ${databaseRoles[role as DatabaseRole]} password '${password}'`);
  }

  /** Resolves when the server answers. */
  async untilReady(timeout = 60_000): Promise<void> {
    const deadline = performance.now() + timeout;
    for (;;) {
      try {
        await using client = await this.connect("bootstrap");
        await client.query("select 1");
        return;
      } catch (error) {
        if (performance.now() > deadline) throw error;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
    }
  }

  private uri(role: DatabaseRole, address: string): string {
    return `postgres://${databaseRoles[role]}:${this.passwords[role]}@${address}/${DATABASE}`;
  }
}

let migrated: Promise<string> | undefined;

/** The kit's database image with a finished cluster and every migration applied. */
export const migratedDatabaseImage = (): Promise<string> =>
  (migrated ??= migratedImage(async (name) => {
    const container = await new DatabaseContainer(name).start();
    // A killed server would repair its files at each start.
    await container.stop({ remove: false, timeout: 60_000 });
    return container.getId();
  }));

/** Starts a migrated database from an image that has the schema already; the fast way for most suites. */
export async function startDatabase(): Promise<StartedDatabaseContainer> {
  return new DatabaseContainer(await migratedDatabaseImage()).withSchemaOfImage().start();
}

function newPasswords(): Record<DatabaseRole, string> {
  const roles = Object.keys(databaseRoles) as DatabaseRole[];
  return Object.fromEntries(roles.map((role) => [role, randomBytes(24).toString("hex")])) as Record<
    DatabaseRole,
    string
  >;
}
