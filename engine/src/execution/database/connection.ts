import { type Environment, readVariable, withoutEmpty } from "@routeql/contract/environment";
import { clientConfig, encryptionConfig, type LibpqConfig } from "@routeql/contract/connection/client";
import { readConnection } from "@routeql/contract/connection/connection";
import { ConnectionUrlError } from "@routeql/contract/connection/url";
import { MetadataError } from "@routeql/metadata/read/problems";
import type { LoadedMetadata } from "@routeql/metadata/read/load";
import type { SourceMetadata } from "@routeql/metadata/read/shape";

/** Value of a variable in the metadata. @throws Error when the file of `NAME_FILE` cannot be read */
export function fromEnvironment(environment: Environment, name: string): string | undefined {
  const { value, problem } = readVariable(withoutEmpty(environment), name);
  if (problem !== undefined) throw new Error(problem);
  return value;
}

/** Connection settings of an address that the settings have checked. */
export const connectionAt = (url: string): LibpqConfig => clientConfig(readConnection(url));

/** Connection settings of a source. @throws MetadataError when the environment lacks them */
export function connectionOf(
  source: SourceMetadata,
  index: number,
  environment: Environment,
  loaded: LoadedMetadata,
): LibpqConfig {
  const info = source.configuration.connection_info;
  const lookUp = (name: string, key: string): string => {
    const value = fromEnvironment(environment, name);
    if (value !== undefined) return value;
    const path = ["sources", index, "configuration", "connection_info", key];
    const reason = `neither ${name} nor ${name}_FILE is set in the environment`;
    throw new MetadataError([{ ...loaded.locate(path), reason, kind: "invalid", at: path }]);
  };
  const wrong = (error: unknown, key: string): unknown => {
    if (!(error instanceof ConnectionUrlError)) return error;
    const path = ["sources", index, "configuration", "connection_info", key];
    const reason = `the address is not usable: ${error.message}`;
    return new MetadataError([{ ...loaded.locate(path), reason, kind: "invalid", at: path }]);
  };
  const { ssl_configuration: ssl } = info;
  let address: LibpqConfig;
  try {
    address = addressOf(info.database_url, (name) => lookUp(name, "database_url"));
  } catch (error) {
    throw wrong(error, "database_url");
  }
  if (ssl === null || ssl === undefined) return address;
  try {
    const { encryptIfOffered: _ofUrl, ...place } = address;
    const encryption = encryptionOf(ssl, (name) => lookUp(name, "ssl_configuration"));
    // A parameter of the URL alone.
    return { ...place, ...encryption, enableChannelBinding: place.enableChannelBinding !== false };
  } catch (error) {
    throw wrong(error, "ssl_configuration");
  }
}

type LookUp = (name: string) => string;
type ConnectionInfo = SourceMetadata["configuration"]["connection_info"];
type Secret = NonNullable<ConnectionInfo["ssl_configuration"]>["sslkey"];

function secretOf(secret: Secret, lookUp: LookUp): string | undefined {
  return typeof secret === "object" && secret !== null ? lookUp(secret.from_env) : (secret ?? undefined);
}

function addressOf(url: ConnectionInfo["database_url"], lookUp: LookUp): LibpqConfig {
  if (typeof url === "string") return clientConfig(readConnection(url));
  if ("from_env" in url) return clientConfig(readConnection(lookUp(url.from_env)));
  const { host, port, username, password, database } = url.connection_parameters;
  const secret = secretOf(password, lookUp);
  return clientConfig({ host, port, user: username, database, ...(secret === undefined ? {} : { password: secret }) });
}

/** The certificates are given as texts. */
function encryptionOf(ssl: NonNullable<ConnectionInfo["ssl_configuration"]>, lookUp: LookUp): LibpqConfig {
  const config = encryptionConfig({ sslmode: ssl.sslmode }, secretOf(ssl.sslrootcert, lookUp));
  if (typeof config.ssl !== "object") return config;
  const own = {
    cert: secretOf(ssl.sslcert, lookUp),
    key: secretOf(ssl.sslkey, lookUp),
    passphrase: secretOf(ssl.sslpassword, lookUp),
  };
  const given = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined));
  return { ...config, ssl: { ...config.ssl, ...given } };
}
