import { describe, expect, test } from "vitest";
import { loadMetadata } from "@routeql/metadata/read/load";
import { MetadataError } from "@routeql/metadata/read/problems";
import { validateMetadata } from "@routeql/metadata/read/validate";
import { connectionOf } from "./connection.ts";

const environment = {
  DB_URL: "postgres://root@db/routes",
  DB_PASSWORD: "secret",
  DB_CA: "authority",
  DB_CERT: "certificate",
  DB_KEY: "key",
};

function connection(info: object) {
  const loaded = loadMetadata({
    version: 3,
    sources: [{ name: "default", configuration: { connection_info: info }, tables: [] }],
  });
  const { metadata, problems } = validateMetadata(loaded, { allowUnsupported: false });
  const [source] = metadata?.sources ?? [];
  if (source === undefined) throw new MetadataError(problems);
  return connectionOf(source, 0, environment, loaded);
}

const url = { from_env: "DB_URL" };

test.each([
  ["postgres://root@db/routes", { host: "db", port: 5432, user: "root", database: "routes", encryptIfOffered: true }],
  [
    "postgres://r%40x:p%2Fw@[2001:db8::1]:1/a?sslmode=disable",
    { host: "2001:db8::1", port: 1, user: "r@x", password: "p/w", database: "a", ssl: false },
  ],
  [url, { host: "db", user: "root", encryptIfOffered: true }],
  [
    {
      connection_parameters: {
        host: "db",
        port: 5432,
        username: "root",
        password: { from_env: "DB_PASSWORD" },
        database: "routes",
      },
    },
    { host: "db", port: 5432, user: "root", password: "secret", database: "routes" },
  ],
])("accepts the address %j", (database_url, expected) => {
  expect(connection({ database_url })).toMatchObject(expected);
});

describe("ssl_configuration", () => {
  test.each([
    [{ sslmode: "disable" }, false],
    [{ sslmode: "require" }, { rejectUnauthorized: false }],
    [
      { sslmode: "require", sslrootcert: { from_env: "DB_CA" } },
      { rejectUnauthorized: true, ca: "authority" },
    ],
    [
      { sslmode: "verify-ca", sslrootcert: { from_env: "DB_CA" } },
      { rejectUnauthorized: true, ca: "authority" },
    ],
    [
      {
        sslmode: "verify-full",
        sslrootcert: { from_env: "DB_CA" },
        sslcert: { from_env: "DB_CERT" },
        sslkey: { from_env: "DB_KEY" },
        sslpassword: "word",
      },
      { rejectUnauthorized: true, ca: "authority", cert: "certificate", key: "key", passphrase: "word" },
    ],
  ])("%j is obeyed", (ssl_configuration, expected) => {
    const { ssl } = connection({ database_url: url, ssl_configuration });
    if (typeof ssl !== "object") return expect(ssl).toBe(expected);
    const { checkServerIdentity, ...rest } = ssl;
    expect(rest).toEqual(expected);
    expect(checkServerIdentity === undefined).toBe(ssl_configuration.sslmode === "verify-full");
  });

  test.each(["allow", "prefer"])("asks the server before it encrypts with %s", (sslmode) => {
    expect(connection({ database_url: url, ssl_configuration: { sslmode } })).toMatchObject({
      encryptIfOffered: true,
      ssl: { rejectUnauthorized: false },
    });
    expect(connection({ database_url: url, ssl_configuration: { sslmode: "disable" } })).not.toHaveProperty(
      "encryptIfOffered",
    );
  });
});

test.each([
  [
    { database_url: "host=db dbname=routes password=secret" },
    "the address is not usable: it must begin with postgres:// or postgresql://",
  ],
  [
    { database_url: { from_env: "DB_PASSWORD" } },
    "the address is not usable: it must begin with postgres:// or postgresql://",
  ],
  [{ database_url: { from_env: "MISSING" } }, "neither MISSING nor MISSING_FILE is set in the environment"],
  [
    { database_url: url, ssl_configuration: { sslmode: "verify-full", sslrootcert: { from_env: "MISSING" } } },
    "neither MISSING nor MISSING_FILE is set in the environment",
  ],
  [{ database_url: "postgres://a,b/routes" }, "the address is not usable: it names several hosts"],
  [{ database_url: "postgres://db/routes?pgbouncer=true" }, "have no parameter pgbouncer. Remove it"],
  [{ database_url: url, ssl_configuration: { sslmode: "verify-ca" } }, "needs the certificate authority of the server"],
  [{ database_url: { dynamic_from_file: "/run/address" } }, "addresses that change while it runs"],
  [{ database_url: "dynamic-from-file:///run/address" }, "addresses that change while it runs"],
  [{ database_url: url, ssl_configuration: { sslmode: "always" } }, "Invalid option"],
])("rejects %j with its reason", (info, reason) => {
  expect(() => connection(info)).toThrow(reason);
});
