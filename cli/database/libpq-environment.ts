import type { DatabaseReach, DatabaseRole } from "../stack/outputs.ts";

/** How libpq reaches the database and encrypts; without an authority's file as the URL's own parameters say. */
export function libpqEnvironment({ host, port, name, sslmode }: Omit<DatabaseReach, "clientImage">, authorityFile?: string): readonly string[] {
  const tls = authorityFile === undefined ? { PGSSLMODE: sslmode } : { PGSSLMODE: "verify-full", PGSSLROOTCERT: authorityFile };
  const variables = { PGHOST: host, PGPORT: String(port), PGDATABASE: name, ...tls };
  return Object.entries(variables).flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${value}`]));
}

/** As whom. */
export const libpqUser = (role: DatabaseRole): string => `PGUSER=routeql_${role}`;
