/** Address of the database for its clients, wherever it runs. */
import { loginOf } from "@routeql/database/migrate/roles";
import type { RoleName } from "@routeql/database/migrate/settings";
import type { Settings } from "../settings/list.ts";
import { filesDirectory } from "./description.ts";

export const databaseAddress = { host: "database", port: 5432, name: "routeql" } as const;

export interface DatabasePlace {
  readonly host: string;
  /** Host of a read-only replica, if there is a separate one; otherwise the same host. */
  readonly readHost: string;
  readonly port: number;
  readonly name: string;
  /** Parameters of each URL: encryption of connections. */
  readonly parameters: Readonly<Record<string, string>>;
}

export const singleDatabase: DatabasePlace = { ...databaseAddress, readHost: databaseAddress.host, parameters: {} };

/** Certificate authority of the server, as a path below `filesDirectory`. */
export const databaseAuthorityFile = "database/ca.pem";

/** The server must present a certificate of that authority for its own name. */
const checkedConnection: DatabasePlace["parameters"] = {
  sslmode: "verify-full",
  sslrootcert: `${filesDirectory}/${databaseAuthorityFile}`,
};

/** CloudNativePG's names for the Services of the cluster `database`. */
export const clusterDatabase = ({ readFromCopies }: { readonly readFromCopies: boolean }): DatabasePlace => ({
  host: "database-rw",
  readHost: readFromCopies ? "database-ro" : "database-rw",
  port: databaseAddress.port,
  name: databaseAddress.name,
  parameters: checkedConnection,
});

/** Whether services use their second logins. The operator of a CloudNativePG cluster manages one login for each role. */
export const hasSecondLogins = ({
  database,
  databasePasswordsGeneration,
}: Pick<Settings, "database" | "databasePasswordsGeneration">): boolean =>
  database !== "cloudnative-pg" && databasePasswordsGeneration % 2 === 0;

export const serviceLogin = (name: RoleName, settings: Parameters<typeof hasSecondLogins>[0]): string =>
  loginOf(name, hasSecondLogins(settings));

interface Login {
  readonly user: string;
  readonly password: string;
}

/** URL of the database with a login, as libpq and node-postgres read it. */
export function databaseUrl(
  { port, name, parameters }: DatabasePlace,
  host: string,
  { user, password }: Login,
): string {
  const url = new URL(`postgres://${host}:${port}/${name}`);
  url.username = encodeURIComponent(user);
  url.password = encodeURIComponent(password);
  for (const [key, value] of Object.entries(parameters)) url.searchParams.set(key, value);
  return url.href;
}

/** Splits a URL into place and login. @param checked whether the authority's file is delivered; else the URL's parameters apply */
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
