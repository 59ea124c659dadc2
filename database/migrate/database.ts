import type { Client } from "pg";
import { loginRole } from "./roles.ts";
import { roleNames } from "./settings.ts";

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
 * Roles that exist only on some servers, with the databases to which they connect: the exporter of metrics, and CloudNativePG's roles
 * for managing a cluster. A former primary connects to `postgres` on the new one to find out which changes it must revert (pg_rewind),
 * and every instance connects there before it follows. Without this right no instance would return.
 */
const optionalRoles = (database: string) => ({
  [loginRole("monitor")]: database,
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
  return (await read()) === before ? [] : ["set who may connect to the databases"];
}
