import type { Client } from "pg";
import { loginRole } from "./roles.ts";
import { type RoleName, roleNames } from "./settings.ts";

/** Roles whose objects the job creates or hands over. */
const actedFor: readonly RoleName[] = ["owner", "metadata"];

/** Whether the login is a superuser; the administrators of database providers are not. */
export async function isSuperuser(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ super: boolean }>(
    "select rolsuper as super from pg_roles where rolname = current_user",
  );
  return rows[0]?.super === true;
}

/** Lets an administrator act for the owning roles: since Postgres 16 the creator of a role may only change its members. */
export async function actForOwners(client: Client): Promise<void> {
  if (await isSuperuser(client)) return;
  await client.query(`grant ${actedFor.map(loginRole).join(", ")} to current_user`);
}

/**
 * Postgres functions that write, lock or send signals, and that every role may call by default: large objects, advisory locks, messages
 * in the write-ahead log, notifications, transaction ids, exported snapshots and the end of other sessions. A read-only default does
 * not prevent them, because each session can disable its own.
 */
const functions =
  "^(lo_.*|loread|lowrite|pg_(try_)?advisory_.*|pg_logical_emit_message|pg_notify|pg_export_snapshot|pg_terminate_backend|pg_current_xact_id|txid_current)$";

/** Languages in which a role could write code of its own with DO. */
const languages = ["plpgsql", "sql"];

const services = (["engine", "sidecar"] as const).map((name) => loginRole(name));
const others = roleNames.map((name) => loginRole(name)).filter((role) => !services.includes(role));

/** Revokes default rights that the services' roles do not need, in the kit's database, as superuser. @returns one sentence per change */
export async function withholdFromServices(client: Client): Promise<string[]> {
  if (!(await isSuperuser(client))) return [];
  const { rows } = await client.query<{ kind: string; name: string }>(
    `select * from (
       select 'function' as kind, oid::regprocedure::text as name, (select bool_or(has_function_privilege(role, oid, 'execute')) from unnest($2::text[]) role) as services,
         (select bool_and(has_function_privilege(role, oid, 'execute')) from unnest($3::text[]) role) as others
       from pg_proc where pronamespace = 'pg_catalog'::regnamespace and proname ~ $1
         -- What no role has by default is for superusers.
         and not exists (select from pg_init_privs where objoid = pg_proc.oid and classoid = 'pg_proc'::regclass)
       union all
       select 'language', quote_ident(lanname), (select bool_or(has_language_privilege(role, oid, 'usage')) from unnest($2::text[]) role),
         (select bool_and(has_language_privilege(role, oid, 'usage')) from unnest($3::text[]) role)
       from pg_language where lanname = any($4)) each
     where services or not others order by kind, name`,
    [functions, services, others, languages],
  );
  if (rows.length === 0) return [];
  const statements = rows.flatMap(({ kind, name }) => [
    `revoke all on ${kind} ${name} from public, ${services.join(", ")}`,
    `grant ${kind === "function" ? "execute" : "usage"} on ${kind} ${name} to ${others.join(", ")}`,
  ]);
  await client.query(statements.join(";"));
  return [`took ${rows.length} functions and languages of Postgres from ${services.join(" and ")}`];
}
