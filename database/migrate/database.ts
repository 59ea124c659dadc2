import { type Client, DatabaseError } from "pg";
import { connectionTo, connectWhenReady } from "./connect.ts";
import { loginRole } from "./roles.ts";
import { type MigrateSettings, roleNames } from "./settings.ts";

/** Creates the database, owned by the owner role, if it is missing. Run in another database, as superuser. */
export async function ensureDatabase(client: Client, database: string): Promise<string[]> {
  const name = client.escapeIdentifier(database);
  const owner = loginRole("owner");
  const { rows } = await client.query<{ owner: string }>(
    "select pg_get_userbyid(datdba) as owner from pg_database where datname = $1",
    [database],
  );
  if (rows[0] === undefined) {
    await client.query(`create database ${name} owner ${owner} encoding 'UTF8' template template0`);
    return [`created database ${database}`];
  }
  if (rows[0].owner === owner) return [];
  await client.query(`alter database ${name} owner to ${owner}`);
  return [`gave database ${database} to ${owner}`];
}

/**
 * Removes every setting that sessions of the database start with. Its owner can set them, and a restored backup could have. Run in another
 * database, before the first connection to this one. An administrator cannot reset those of a superuser.
 */
export async function resetSettings(client: Client, database: string): Promise<string[]> {
  const read = async (): Promise<string> => {
    const { rows } = await client.query<{ settings: string }>(
      "select setconfig::text as settings from pg_db_role_setting s join pg_database d on d.oid = setdatabase where setrole = 0 and datname = $1",
      [database],
    );
    return rows[0]?.settings ?? "";
  };
  const before = await read();
  if (before === "") return [];
  await client.query(`alter database ${client.escapeIdentifier(database)} reset all`);
  return (await read()) === before ? [] : [`reset the settings of database ${database}`];
}

/**
 * Roles that exist only on some servers, with the databases to which they connect: the exporter of metrics, the feed, and CloudNativePG's
 * roles for managing a cluster. A former primary connects to `postgres` on the new one to find out which changes it must revert (pg_rewind),
 * and every instance connects there before it follows. Without this right no instance would return.
 */
const optionalRoles = (database: string) => ({
  [loginRole("monitor")]: database,
  [loginRole("feed")]: database,
  cnpg_metrics_exporter: `postgres, ${database}`,
  streaming_replica: "postgres",
});

/** Restricts connections to the kit's roles and revokes the rights of PUBLIC. Run in any database, as superuser. */
export async function restrictDatabases(client: Client, database: string): Promise<string[]> {
  const read = async (): Promise<string> => {
    const { rows } = await client.query<{ rights: string | null }>(
      // The order of the entries depends on the order of earlier grants.
      "select string_agg(datname || ' ' || item::text, ';' order by datname, item::text) as rights from pg_database left join lateral unnest(datacl) item on true",
    );
    return rows[0]?.rights ?? "";
  };
  const before = await read();
  const name = client.escapeIdentifier(database);
  const statements = [
    "revoke all on database postgres, template1 from public",
    `revoke all on database ${name} from public`,
    `revoke all on database ${name} from ${roleNames
      .filter((role) => role !== "owner")
      .map(loginRole)
      .join(", ")}`,
    `grant connect on database ${name} to ${roleNames.map(loginRole).join(", ")}`,
    `grant temporary on database ${name} to ${loginRole("loader")}`,
  ];
  const { rows } = await client.query<{ role: string }>("select rolname as role from pg_roles");
  const present = new Set(rows.map(({ role }) => role));
  for (const [role, databases] of Object.entries(optionalRoles(name))) {
    if (present.has(role)) statements.push(`grant connect on database ${databases} to ${role}`);
  }
  await client.query(statements.join(";"));
  return (await read()) === before ? [] : ["set the rights to connect to the databases"];
}

const role = loginRole("metadata");
const backup = loginRole("backup");

/** Creates the schema for the engine's metadata, with the extension that Hasura requires but may not create. As superuser. */
export async function ensureMetadataSchema(client: Client): Promise<string[]> {
  const done: string[] = [];
  const read = async (): Promise<{ owner: string; rights: string } | undefined> => {
    const { rows } = await client.query<{ owner: string; rights: string }>(
      `select pg_get_userbyid(nspowner) as owner, coalesce(nspacl::text, '')
           || coalesce((select string_agg(defaclobjtype::text || defaclacl::text, ',' order by defaclobjtype)
                          from pg_default_acl where defaclnamespace = n.oid), '') as rights
         from pg_namespace n where nspname = 'hdb_catalog'`,
    );
    return rows[0];
  };
  const before = await read();
  if (before === undefined) {
    await client.query(`create schema hdb_catalog authorization ${role}`);
    done.push("created schema hdb_catalog");
  } else if (before.owner !== role) {
    await client.query(`alter schema hdb_catalog owner to ${role}`);
    done.push(`gave schema hdb_catalog to ${role}`);
  }
  const { rowCount } = await client.query("select from pg_extension where extname = 'pgcrypto'");
  if (rowCount === 0) {
    await client.query("create extension pgcrypto schema hdb_catalog");
    done.push("created extension pgcrypto");
  }
  const started = await read();
  await client.query(
    [
      `grant usage on schema hdb_catalog to ${backup}`,
      `grant select on all tables in schema hdb_catalog to ${backup}`,
      `grant select on all sequences in schema hdb_catalog to ${backup}`,
      `alter default privileges for role ${role} in schema hdb_catalog grant select on tables to ${backup}`,
      `alter default privileges for role ${role} in schema hdb_catalog grant select on sequences to ${backup}`,
    ].join(";"),
  );
  return (await read())?.rights === started?.rights ? done : [...done, `let ${backup} read schema hdb_catalog`];
}

const wrongPassword = "28P01";

/** @throws when the server has another stack: roles belong to the server, and this job would overwrite the other one's passwords */
export async function refuseOtherStack(client: Client, settings: MigrateSettings): Promise<void> {
  const user = loginRole("owner");
  const { rows } = await client.query<{ name: string }>(
    "select datname as name from pg_database where pg_get_userbyid(datdba) = $1 and datname <> $2 and datallowconn order by 1 limit 1",
    [user, settings.database],
  );
  const other = rows[0]?.name;
  if (other === undefined) return;
  try {
    const owner = await connectWhenReady(
      connectionTo(settings, { user, password: settings.passwords.owner }, other),
      settings.waitSeconds,
    );
    await owner.end();
  } catch (error) {
    const { cause } = error as Error;
    if (!(cause instanceof DatabaseError) || cause.code !== wrongPassword) throw error;
    throw new Error(
      `The server has a database of another stack, ${other}. Roles belong to the whole server, and that stack's services could no longer log in. Use a separate server for each stack, or give ${other} another owner if nothing uses it.`,
      { cause: error },
    );
  }
}
