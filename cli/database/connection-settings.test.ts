import { expect, test } from "vitest";
import { encryption, libpqEnvironment, withinDatabase } from "./connection-settings.ts";

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
  expect(encryption(reach)).toEqual({ ...within, ssl: { rejectUnauthorized: false } });
  expect(libpqEnvironment(reach)).toContain("PGSSLMODE=require");
});

test("those within a single database are not", () => {
  const reach = withinDatabase(database);
  expect(encryption(reach)).toEqual(within);
  expect(libpqEnvironment(reach).join()).not.toContain("PGSSLMODE");
});
