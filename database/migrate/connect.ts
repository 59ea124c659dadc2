import { setTimeout as delay } from "node:timers/promises";
import { clientConfig, LibpqClient, type LibpqConfig } from "@routeql/contract/connection/client";
import { type Client, DatabaseError } from "pg";
import { noticeDeadClients } from "./roles.ts";
import type { Login, MigrateSettings } from "./settings.ts";

/** Codes with which a starting server rejects clients (cannot_connect_now, too_many_connections). */
const startingCodes = new Set(["57P03", "53300"]);
const networkCodes = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ETIMEDOUT",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EPIPE",
]);

/**
 * Start-up options of the administrator's connections. They precede the settings of a database and of a role in it, which the database's
 * owner can change: an unqualified name would call the owner's function with the administrator's rights.
 */
const guards = {
  search_path: "pg_catalog,pg_temp",
  role: "none",
  row_security: "on",
  standard_conforming_strings: "on",
  local_preload_libraries: "",
  default_transaction_read_only: "off",
  statement_timeout: "0",
};

/** Settings that only a superuser may choose at the start. `event_triggers` exists from Postgres 17 on. */
const superuserGuards = { session_preload_libraries: "", event_triggers: "off" };

const asOptions = (settings: Readonly<Record<string, string>>): string =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(" ");

/** {@link guards} for a client that uses libpq, in the form of its variable PGOPTIONS. */
export const guardOptions: string = asOptions(guards);

/** Connects with a fixed search path. @param superuser if known to be one of Postgres 17 or later @throws if a pooler drops options */
export async function connectAsAdministrator(
  settings: MigrateSettings,
  database: string,
  superuser: boolean,
): Promise<Client> {
  const options = asOptions(superuser ? { ...guards, ...superuserGuards } : guards);
  const config = { ...connectionTo(settings, settings.bootstrap, database), options };
  const client = await connectWhenReady(config, settings.waitSeconds);
  // `show` is a command, not a function that the search path could replace.
  const { rows } = await client.query<{ search_path: string }>("show search_path");
  const found = rows[0]?.search_path.replaceAll(" ", "");
  if (found === guards.search_path) return client;
  await client.end();
  throw new Error(
    `The server ignored the start-up options of the connection to ${database}: its search path is ${found}. Functions of the database's owner could run with the administrator's rights. Connect the migrate job to Postgres directly, without a connection pool.`,
  );
}

export function connectionTo(
  { host, port, encryption }: Pick<MigrateSettings, "host" | "port" | "encryption">,
  login: Login,
  database: string,
): LibpqConfig {
  return { ...clientConfig({ host, port, ...login, database, ...encryption }), application_name: "routeql-migrate" };
}

/** The remedy for an error of the encryption. @param reason of node-postgres, Node or Postgres */
function encryptionRemedy(reason: string): string {
  if (/channel_binding/.test(reason))
    return ". Give databaseUrl an address without a pooler, or remove channel_binding=require";
  if (/channel binding/i.test(reason))
    return ". A proxy ends TLS before the server: give databaseUrl ?channel_binding=disable";
  if (/does not support SSL/.test(reason))
    return ". The server offers no TLS: give databaseUrl ?sslmode=prefer or disable, and no databaseCaFile";
  if (/no encryption|hostssl|requires? (SSL|TLS|encryption)/i.test(reason))
    return ". The server requires TLS: give databaseUrl ?sslmode=require, or its authority in databaseCaFile";
  if (/altnames|Host: |IP: /.test(reason))
    return ". The certificate has another name than the host of databaseUrl: use that name, or ?sslmode=verify-ca";
  if (/certificate|self.signed/i.test(reason))
    return ". databaseCaFile must hold the authority that signed the certificate of the server";
  return "";
}

/** Connects as soon as the server accepts; a permanent error ends the wait. @throws with host, port and reason when the time is over */
export async function connectWhenReady(config: LibpqConfig, waitSeconds: number): Promise<Client> {
  const deadline = performance.now() + waitSeconds * 1000;
  for (;;) {
    const client = new LibpqClient({ ...config, connectionTimeoutMillis: 5000 });
    client.on("error", () => {}); // a broken connection fails the next statement
    try {
      await client.connect();
      for (const [setting, value] of Object.entries(noticeDeadClients)) await client.query(`set ${setting} = ${value}`);
      return client;
    } catch (error) {
      await client.end().catch(() => {});
      // Node adds advice about its own options.
      const reason = (error instanceof Error ? error.message : String(error)).replace(
        /; if the root CA is installed.*$/,
        "",
      );
      const where = `${config.host}:${config.port} as ${String(config.user)}`;
      if (!mayPass(error))
        throw new Error(`The database refused the connection to ${where}: ${reason}${encryptionRemedy(reason)}`, {
          cause: error,
        });
      if (performance.now() > deadline) {
        throw new Error(`The database at ${where} did not answer within ${waitSeconds} s: ${reason}`, { cause: error });
      }
      await delay(250);
    }
  }
}

function mayPass(error: unknown): boolean {
  if (error instanceof DatabaseError) return startingCodes.has(error.code ?? "");
  if (error instanceof AggregateError) return error.errors.every(mayPass);
  if (!(error instanceof Error)) return false;
  const code = (error as NodeJS.ErrnoException).code;
  return code === undefined ? /timeout|terminated/i.test(error.message) : networkCodes.has(code);
}
