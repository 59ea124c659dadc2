/**
 * Where the parts reach the database, wherever it runs.
 * @module
 */
import { filesDirectory } from "./description.ts";

/** The one that the stack runs itself. */
export const databaseAddress = { host: "database", port: 5432, name: "routeql" } as const;

export interface DatabasePlace {
  readonly host: string;
  /** Where a copy answers that is read only, if there is one apart. */
  readonly readHost: string;
  readonly port: number;
  /** Name of the database. */
  readonly name: string;
  /** Of each URL: how connections are encrypted. */
  readonly parameters: Readonly<Record<string, string>>;
}

export const singleDatabase: DatabasePlace = {
  ...databaseAddress,
  readHost: databaseAddress.host,
  parameters: {},
};

/** File of the authority that the server's certificate is checked against, below `filesDirectory`. */
export const databaseAuthorityFile = "database/ca.pem";

/** The server has to show a certificate of that authority, for its own name. */
const checkedConnection: DatabasePlace["parameters"] = {
  sslmode: "verify-full",
  sslrootcert: `${filesDirectory}/${databaseAuthorityFile}`,
};

/** CloudNativePG's own names for the services of the cluster `database`. */
export const clusterDatabase = ({ readFromCopies }: { readonly readFromCopies: boolean }): DatabasePlace => ({
  host: "database-rw",
  readHost: readFromCopies ? "database-ro" : "database-rw",
  port: databaseAddress.port,
  name: databaseAddress.name,
  parameters: checkedConnection,
});

interface Login {
  readonly user: string;
  readonly password: string;
}

/** URL of the database for one login, as libpq and node-postgres read it. */
export function databaseUrl({ port, name, parameters }: DatabasePlace, host: string, { user, password }: Login): string {
  const url = new URL(`postgres://${host}:${port}/${name}`);
  url.username = encodeURIComponent(user);
  url.password = encodeURIComponent(password);
  for (const [key, value] of Object.entries(parameters)) url.searchParams.set(key, value);
  return url.href;
}

/**
 * The place that a URL names, and the login in it.
 * @param checked whether the authority's file is delivered; else the URL's own parameters count
 */
export function placeOfUrl(text: string, checked: boolean): { readonly place: DatabasePlace; readonly login: Login } {
  const url = new URL(text);
  return {
    place: {
      host: url.hostname,
      readHost: url.hostname,
      port: url.port === "" ? databaseAddress.port : Number(url.port),
      name: url.pathname.slice(1),
      parameters: checked ? checkedConnection : Object.fromEntries(url.searchParams),
    },
    login: { user: decodeURIComponent(url.username), password: decodeURIComponent(url.password) },
  };
}
