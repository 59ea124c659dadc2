import { type Environment, readVariable, withoutEmpty } from "@routeql/contract/environment";
import type pg from "pg";
import { MetadataError } from "@routeql/metadata/read/problems";
import type { LoadedMetadata } from "@routeql/metadata/read/load";
import type { SourceMetadata } from "@routeql/metadata/read/shape";

/** Value of a variable in the metadata. @throws Error when the file of `NAME_FILE` cannot be read */
export function fromEnvironment(environment: Environment, name: string): string | undefined {
  const { value, problem } = readVariable(withoutEmpty(environment), name);
  if (problem !== undefined) throw new Error(problem);
  return value;
}

/** Connection settings of a source. @throws MetadataError when the environment lacks them */
export function connectionOf(
  source: SourceMetadata,
  index: number,
  environment: Environment,
  loaded: LoadedMetadata,
): pg.ClientConfig {
  const info = source.configuration.connection_info;
  const lookUp = (name: string, key: string): string => {
    const value = fromEnvironment(environment, name);
    if (value !== undefined) return value;
    const path = ["sources", index, "configuration", "connection_info", key];
    const reason = `neither ${name} nor ${name}_FILE is set in the environment`;
    throw new MetadataError([{ ...loaded.locate(path), reason, kind: "invalid", at: path }]);
  };
  const address = addressOf(info.database_url, (name) => lookUp(name, "database_url"));
  if (address.connectionString !== undefined && !isAddress(address.connectionString)) {
    const path = ["sources", index, "configuration", "connection_info", "database_url"];
    throw new MetadataError([
      { ...loaded.locate(path), reason: `the address ${addressForm}`, kind: "invalid", at: path },
    ]);
  }
  const { ssl_configuration: ssl } = info;
  const encryption =
    ssl === null || ssl === undefined ? {} : { ssl: encryptionOf(ssl, (name) => lookUp(name, "ssl_configuration")) };
  return { ...address, ...encryption };
}

/** Message for an invalid address; the address itself may contain a password. */
export const addressForm = "must begin with postgres:// or postgresql://";

/** node-postgres would read any other text, also libpq's `host=… dbname=…`, as the name of a database on a host called "base". */
export function isAddress(text: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(text);
}

type LookUp = (name: string) => string;
type ConnectionInfo = SourceMetadata["configuration"]["connection_info"];
type Secret = NonNullable<ConnectionInfo["ssl_configuration"]>["sslkey"];

function secretOf(secret: Secret, lookUp: LookUp): string | undefined {
  return typeof secret === "object" && secret !== null ? lookUp(secret.from_env) : (secret ?? undefined);
}

function addressOf(url: ConnectionInfo["database_url"], lookUp: LookUp): pg.ClientConfig {
  if (typeof url === "string") return { connectionString: url };
  if ("from_env" in url) return { connectionString: lookUp(url.from_env) };
  const { host, port, username, password, database } = url.connection_parameters;
  const secret = secretOf(password, lookUp);
  return { host, port, user: username, database, ...(secret === undefined ? {} : { password: secret }) };
}

/** Postgres' sslmode: `require` trusts any certificate unless an authority is given, `verify-ca` accepts any host name, `verify-full` checks both. */
function encryptionOf(ssl: NonNullable<ConnectionInfo["ssl_configuration"]>, lookUp: LookUp): pg.ClientConfig["ssl"] {
  if (ssl.sslmode === "disable") return false;
  const given = {
    ca: secretOf(ssl.sslrootcert, lookUp),
    cert: secretOf(ssl.sslcert, lookUp),
    key: secretOf(ssl.sslkey, lookUp),
    passphrase: secretOf(ssl.sslpassword, lookUp),
  };
  const trusts = ssl.sslmode === "require" && given.ca === undefined;
  return {
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    rejectUnauthorized: !trusts,
    ...(ssl.sslmode === "verify-full" ? {} : { checkServerIdentity: () => undefined }),
  };
}
