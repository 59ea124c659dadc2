/** The address, encryption and login of a database, for node-postgres and for programs that use libpq. */
import { encryptionConfig, type LibpqConfig } from "@routeql/contract/connection/client";
import { loginOf } from "@routeql/database/migrate/roles";
import type { DatabaseReach, DatabaseRole } from "../pulumi/outputs.ts";

const loopback = "127.0.0.1";
/** libpq's mode for encryption without a check of the certificate. */
const encrypted = "require";

/** Endpoint of the connection as its client sees it, and its encryption, as in the stack's services. */
export function encryption({ host, port, name, authority, ...given }: DatabaseReach): LibpqConfig {
  const place = { host, port, database: name };
  if (host === loopback && given.sslmode === undefined) return place;
  // The relay has decided.
  const { encryptIfOffered: _, ssl, ...binding } = encryptionConfig(given, authority);
  return { ...place, ...(ssl === false ? {} : { ssl, ...binding }) };
}

/** The address of the stack's own database in its container or pod; a cluster requires encryption, without a matching certificate. */
export const withinDatabase = ({ sslmode, authority: _authority, ...reach }: DatabaseReach): DatabaseReach => ({
  ...reach,
  host: loopback,
  ...(sslmode !== undefined && { sslmode: encrypted }),
});

/** libpq settings for the address and the encryption of the database. Without an authority file, the parameters of the URL apply. */
export function libpqEnvironment(
  { host, port, name, sslmode, sslrootcert, channelBinding }: Omit<DatabaseReach, "clientImage" | "secondLogins">,
  authorityFile?: string,
): readonly string[] {
  const tls = { PGSSLMODE: sslmode, PGSSLROOTCERT: authorityFile ?? sslrootcert, PGCHANNELBINDING: channelBinding };
  const variables = { PGHOST: host, PGPORT: String(port), PGDATABASE: name, ...tls };
  return Object.entries(variables).flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${value}`]));
}

/** Whether the server decides about encryption, as libpq's default lets it. */
export const isServersChoice = ({ host, sslmode = "prefer" }: DatabaseReach): boolean =>
  host !== loopback && (sslmode === "prefer" || sslmode === "allow");

export const libpqUser = (role: DatabaseRole, { secondLogins }: DatabaseReach): string =>
  `PGUSER=${loginOf(role, secondLogins)}`;
