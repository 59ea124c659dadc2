import { fileURLToPath } from "node:url";
import { runner } from "node-pg-migrate";
import { type Client, DatabaseError } from "pg";
import { advisoryLocks } from "@routeql/database-access/advisory-locks";
import { textBeside } from "@routeql/database-access/text-beside";
import { migrationNames } from "./migration-names.ts";
import {
  applyOwnMigrations,
  type EngineRights,
  type Own,
  ownGrants,
  refuseChangedMigrations,
} from "./own-migrations.ts";
import { lockNotAvailable } from "../partitions/patience.ts";
import { tellEverything, watchTables } from "./watched-tables.ts";

// A checkout may be in a folder with spaces, which a URL encodes.
const migrations = fileURLToPath(new URL("../migrations/", import.meta.url));

/** Maximum wait for a load's publication or the exchange of a large partition. */
const PARTITIONS_WAIT = "15min";

/** Applies missing migrations in one transaction, then the operator's and the grants, as owner. @returns a sentence for each change */
export async function migrate(client: Client, { migrations: ownMigrations, engineRights }: Own): Promise<string[]> {
  await refuseNewerDatabase(client);
  await refuseChangedMigrations(client, ownMigrations);
  const applied = await runner({
    dbClient: client,
    dir: migrations,
    direction: "up",
    migrationsSchema: "migrations",
    createMigrationsSchema: true,
    migrationsTable: "schema_migrations",
    singleTransaction: true,
    advisoryLockMode: "wait",
    log: () => {},
  });
  const done = [
    ...applied.map(({ name }) => `applied migration ${name}`),
    ...(await applyOwnMigrations(client, ownMigrations)),
    ...(await applyGrants(client, engineRights)),
    ...(await applyTriggers(client, engineRights)),
  ];
  if (done.length > 0) await client.query(tellEverything);
  return done;
}

/** @throws Error for a database with a migration that this version does not have */
async function refuseNewerDatabase(client: Client): Promise<void> {
  const { rows: found } = await client.query<{ migrated: boolean }>(
    "select to_regclass('migrations.schema_migrations') is not null as migrated",
  );
  if (found[0]?.migrated !== true) return;
  const { rows } = await client.query<{ name: string }>("select name from migrations.schema_migrations order by id");
  const known = migrationNames();
  const unknown = rows.map(({ name }) => name).filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new Error(
      `the database has migrations of a newer version of RouteQL (${unknown.join(", ")}), and this version ends with ${known.at(-1)}. ` +
        "Nothing was changed. Use the newer version, or restore a backup of this version into a new stack: docs/operate/upgrade.md",
    );
}

async function applyGrants(client: Client, engineRights: EngineRights): Promise<string[]> {
  await client.query("begin");
  await keepPartitions(client);
  const before = await readPrivileges(client);
  await client.query(textBeside(import.meta.url, "grants.sql"));
  await client.query(ownGrants(engineRights));
  const changed = (await readPrivileges(client)) !== before;
  await client.query(changed ? "commit" : "rollback");
  return changed ? ["set the rights of each role"] : [];
}

/** A new trigger waits for writers of its table, so a load finishes first. */
async function applyTriggers(client: Client, engineRights: EngineRights): Promise<string[]> {
  await client.query("begin");
  await keepPartitions(client);
  const done = await watchTables(client, engineRights);
  await client.query("commit");
  return done;
}

/** A grant fails on a table that is dropped meanwhile, so partitions are locked until the transaction ends. */
async function keepPartitions(client: Client): Promise<void> {
  try {
    await client.query(`set local lock_timeout = '${PARTITIONS_WAIT}'`);
    await client.query(`select pg_advisory_xact_lock(${advisoryLocks.partitions}); set local lock_timeout to default`);
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.code !== lockNotAvailable) throw error;
    throw new Error(
      `npm run load or npm run prune was still running after ${PARTITIONS_WAIT}. Start the update again when it has finished`,
      { cause: error },
    );
  }
}

async function readPrivileges(client: Client): Promise<string> {
  const { rows } = await client.query<{ privileges: string | null }>(textBeside(import.meta.url, "privileges.sql"));
  return rows[0]?.privileges ?? "";
}
