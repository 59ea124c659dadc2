/** Address of the database for its clients, wherever it runs. */
import { type Encryption, readConnection, writeConnection } from "@routeql/contract/connection/connection";
import { loginOf } from "@routeql/database/migrate/roles";
import type { RoleName } from "@routeql/database/migrate/settings";
import type { Settings } from "../settings/list.ts";
import { filesDirectory } from "../description/service.ts";

export const databaseAddress = { host: "database", port: 5432, name: "routeql" } as const;

export interface DatabasePlace {
  readonly host: string;
  /** Host of a read-only replica, if there is a separate one; otherwise the same host. */
  readonly readHost: string;
  readonly port: number;
  readonly name: string;
  /** Parameters of each URL: encryption of connections. */
  readonly parameters: Encryption;
}

export const singleDatabase: DatabasePlace = { ...databaseAddress, readHost: databaseAddress.host, parameters: {} };

/** Certificate authority of the server, as a path below `filesDirectory`. */
export const databaseAuthorityFile = "database/ca.pem";

/** The same in a container. */
export const deliveredAuthority = `${filesDirectory}/${databaseAuthorityFile}`;

/** The server must present a certificate of that authority for its own name. */
const checkedConnection: DatabasePlace["parameters"] = { sslmode: "verify-full", sslrootcert: deliveredAuthority };

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
  return writeConnection({ host, port, database: name, user, password, ...parameters });
}

/** libpq checks the chain alone for these, if it has an authority. */
const withoutName: ReadonlySet<string | undefined> = new Set(["require", "verify-ca"]);

/** The delivered authority's file: of the database (`databaseCaFile`), or of all connections (`authoritiesFile`). */
export type DeliveredAuthority = "database" | "common" | undefined;

/**
 * Splits a URL into place and login. With the database's authority TLS is required; the common one serves a URL that verifies and names none.
 * @throws ConnectionUrlError
 */
export function placeOfUrl(
  text: string,
  delivered: DeliveredAuthority,
): { readonly place: DatabasePlace; readonly login: Login } {
  const { host, port, user = "", password = "", database = "", ...encryption } = readConnection(text);
  const sslmode = withoutName.has(encryption.sslmode) ? "verify-ca" : "verify-full";
  const verifies = encryption.sslmode?.startsWith("verify") === true && encryption.sslrootcert === undefined;
  const checked = delivered === "database" || (delivered === "common" && verifies);
  const parameters = checked
    ? { ...encryption, ...checkedConnection, sslmode: sslmode as Encryption["sslmode"] }
    : encryption;
  return { place: { host, readHost: host, port, name: database, parameters }, login: { user, password } };
}
