import { readFileSync } from "node:fs";
import type pg from "pg";
import { MetadataError } from "../metadata/problems.ts";
import type { LoadedMetadata } from "../metadata/load.ts";
import type { SourceMetadata } from "../metadata/shape.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Value of `NAME`, or the content of the file that `NAME_FILE` names, without its last line break. */
export function fromEnvironment(environment: Environment, name: string): string | undefined {
  const direct = environment[name];
  if (direct !== undefined && direct !== "") return direct;
  const file = environment[`${name}_FILE`];
  return file === undefined || file === "" ? undefined : readFileSync(file, "utf8").replace(/\r?\n$/, "");
}

/** How to connect to a source. @throws MetadataError when the environment does not say */
export function connectionOf(source: SourceMetadata, index: number, environment: Environment, loaded: LoadedMetadata): pg.ClientConfig {
  const path = ["sources", index, "configuration", "connection_info", "database_url"];
  const lookUp = (name: string): string => {
    const value = fromEnvironment(environment, name);
    if (value !== undefined) return value;
    throw new MetadataError([{ ...loaded.locate(path), reason: `neither ${name} nor ${name}_FILE is set in the environment`, kind: "invalid", at: path }]);
  };
  const url = source.configuration.connection_info.database_url;
  if (typeof url === "string") return { connectionString: url };
  if ("from_env" in url) return { connectionString: lookUp(url.from_env) };
  const { host, port, username, password, database } = url.connection_parameters;
  const secret = typeof password === "object" && password !== null ? lookUp(password.from_env) : password;
  return { host, port, user: username, database, ...(typeof secret === "string" ? { password: secret } : {}) };
}
