import type { DatabaseReach, DatabaseRole } from "../stack/outputs.ts";

/** libpq settings for the address and the encryption of the database. Without an authority file, the parameters of the URL apply. */
export function libpqEnvironment(
  { host, port, name, sslmode }: Omit<DatabaseReach, "clientImage">,
  authorityFile?: string,
): readonly string[] {
  const tls =
    authorityFile === undefined ? { PGSSLMODE: sslmode } : { PGSSLMODE: "verify-full", PGSSLROOTCERT: authorityFile };
  const variables = { PGHOST: host, PGPORT: String(port), PGDATABASE: name, ...tls };
  return Object.entries(variables).flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${value}`]));
}

/** libpq setting for the login role. */
export const libpqUser = (role: DatabaseRole): string => `PGUSER=routeql_${role}`;
