import { expect, test } from "vitest";
import { encryption, isServersChoice, libpqEnvironment, withinDatabase } from "./connection-settings.ts";

const database = {
  host: "database",
  port: 5432,
  name: "routeql",
  secondLogins: false,
  clientImage: "routeql/database:1",
};
const within = { host: "127.0.0.1", port: 5432, database: "routeql" };

test("connections within the pod of a cluster are encrypted, for every kind of client", () => {
  const reach = withinDatabase({ ...database, host: "database-rw", sslmode: "verify-full" });
  expect(encryption(reach)).toMatchObject({ ...within, ssl: { rejectUnauthorized: false } });
  expect(libpqEnvironment(reach)).toContain("PGSSLMODE=require");
});

test("those within a single database are not", () => {
  const reach = withinDatabase(database);
  expect(encryption(reach)).toEqual(within);
  expect(libpqEnvironment(reach).join()).not.toContain("PGSSLMODE");
});

test("programs and clients read one meaning of an external address", () => {
  const external = { ...database, host: "db.example.net" };
  const checked = { ...external, sslmode: "verify-ca", authority: "pem" } as const;
  expect(encryption(checked)).toMatchObject({ ssl: { ca: "pem", rejectUnauthorized: true } });
  expect(libpqEnvironment(checked, "/tmp/ca.pem")).toEqual(
    expect.arrayContaining(["PGSSLMODE=verify-ca", "PGSSLROOTCERT=/tmp/ca.pem"]),
  );
  const system = { ...external, sslmode: "verify-full", sslrootcert: "system" } as const;
  expect(encryption(system)).toMatchObject({ ssl: { rejectUnauthorized: true } });
  expect(libpqEnvironment(system)).toContain("PGSSLROOTCERT=system");
  expect(encryption({ ...external, sslmode: "require" })).toMatchObject({ ssl: { rejectUnauthorized: false } });
  const bound = { ...external, sslmode: "require", channelBinding: "require" } as const;
  expect(encryption(bound)).toMatchObject({ requireChannelBinding: true, enableChannelBinding: true });
  expect(libpqEnvironment(bound)).toContain("PGCHANNELBINDING=require");
  expect(encryption({ ...external, sslmode: "disable" })).not.toHaveProperty("ssl");
  expect([external, { ...external, sslmode: "allow" } as const, checked, database].map(isServersChoice)).toEqual([
    true,
    true,
    false,
    true,
  ]);
  expect(isServersChoice(withinDatabase(database))).toBe(false);
});
