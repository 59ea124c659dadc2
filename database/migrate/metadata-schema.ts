import type { Client } from "pg";
import { loginRole } from "./roles.ts";

const role = loginRole("metadata");
const backup = loginRole("backup");

/**
 * Creates the schema for the engine's metadata, owned by a role without other rights. Hasura fills it at its first
 * start. Hasura requires the extension but may not create it. Backups read the schema. Run in the
 * database, as superuser.
 */
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
