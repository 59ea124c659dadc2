import fc from "fast-check";
import { expect, test } from "vitest";
import { readConnection, urlProblem, writeConnection } from "./connection.ts";

// Forms that providers document.
test.each([
  ["postgres://app:pw@db-do-user-1.b.db.example.com:25060/defaultdb?sslmode=require", { sslmode: "require" }],
  ["postgres://avnadmin:pw@pg-1.example.com:12691/defaultdb?sslmode=verify-ca", { sslmode: "verify-ca" }],
  ["postgresql://postgres.ref:pw@pooler.example.com:6543/postgres", { user: "postgres.ref", port: 6543 }],
  ["postgres://app%40server:pw@server.example.com/app?sslmode=prefer", { user: "app@server", sslmode: "prefer" }],
  ["postgresql://app:pw@free.example.com:26257/app?sslmode=verify-full&sslrootcert=system", { sslrootcert: "system" }],
  ["postgres://app:pw@db.example.com/app?ssl=true&connect_timeout=10&application_name=x", { sslmode: "require" }],
  ["postgres://app@db.example.com/app?sslrootcert=system", { sslmode: "verify-full" }],
  // Neon.
  [
    "postgresql://o:pw@ep-a-b-123-pooler.eu.example.tech/neondb?sslmode=require&channel_binding=require",
    { channelBinding: "require" },
  ],
  ["postgresql://app:pw@db.example.com/app?channel_binding=disable", { channelBinding: "disable" }],
])("reads %s", (url, expected) => {
  expect(readConnection(url)).toMatchObject(expected);
});

test.each([
  ["postgres://a:1,b:2/app", "it names several hosts. Give one"],
  ["postgres://u:ab@cd@db/app", "the host or port has an @. Write an @ of the user or password as %40"],
  // The administrator of Azure's single server, as its portal showed it.
  ["postgres://anna@db:ab@db.example.net:5432/app", "the host or port has an @. Write an @ of the user or password as"],
  ["postgres://u:ab@2001:db8::5:5432/app", "and an IPv6 address in brackets"],
  ["postgres://u:abc/@db:5432/app", "Write a / or : of the user or password as %2F or %3A"],
  ["postgres://db:0/app", "the port is not a number from 1 to 65535"],
  ["postgres://db:70000/app", "the port is not a number from 1 to 65535"],
  ["postgres://db:5432%C2%A0/app", "the port is not a number from 1 to 65535"],
  ["postgres://db/app?connect_timeout=99999999999", "the parameter connect_timeout with this value is not supported"],
  ["postgres://db/app?keepalives_interval=0", "the parameter keepalives_interval with this value is not supported"],
  ["postgres://db/app?sslmode=always", "sslmode has another value than disable, allow, prefer"],
  ["postgres://db/app?sslmode=require&sslrootcert=system", "sslrootcert=system needs sslmode=verify-full"],
  ["postgres://db/app?channel_binding=yes", "channel_binding has another value than disable, prefer, require"],
  ["postgres://db/app?sslmode=disable&channel_binding=require", "needs TLS, which sslmode=disable forbids"],
  ["postgres:///app?host=/run/postgresql&channel_binding=require", "needs TLS, which sockets do not have"],
  [
    "postgres://db/app?options=-csearch_path%3Dx",
    "the parameter options is not supported. Remove it; the services set",
  ],
  [
    "postgres://db/app?options=endpoint%3Dep-a-b-123",
    "the services send the name of the host in TLS, which replaces it",
  ],
  [
    "postgres://db/app?sslmode=no-verify",
    "disable, allow, prefer, require, verify-ca, verify-full; node-postgres's no-verify is",
  ],
  ["postgres://db/app?sslnegotiation=direct", "Remove it; such a server offers the ordinary start of TLS too"],
  ["postgres://db/app?load_balance_hosts=random", "Remove it; the URL has one host"],
  ["postgres://db/app?gssencmode=require", "the parameter gssencmode with this value is not supported"],
  ["postgres://db/app?target_session_attrs=read-write", "Give the address of the primary"],
  ["postgres://db/app?hostaddr=192.0.2.1", "Give the address as the host"],
  ["postgres://db/app?sslkey=/k", "the parameter sslkey is not supported"],
  ["postgres://db/app?service=x", "the parameter service is not supported"],
  ["postgres://db/app?client_encoding=latin1", "the parameter client_encoding with this value is not supported"],
])("refuses %s with the name of the part", (url, reason) => {
  expect(urlProblem(url)).toContain(reason);
});

test.each([
  ["postgres://db:%205432%0A/app", { port: 5432 }],
  ["postgres://db:+5432/app?connect_timeout=+5&keepalives_idle=%2030", { port: 5432 }],
])("reads the numbers of %s as libpq", (url, expected) => {
  expect(readConnection(url)).toMatchObject(expected);
});

test("writes a password without a user", () => {
  const connection = readConnection("postgres://:secret@db/app");
  expect(connection).toMatchObject({ password: "secret" });
  expect(readConnection(writeConnection(connection))).toEqual(connection);
});

test("writes URLs that it reads back", () => {
  const text = fc
    .string({ minLength: 1, unit: "grapheme" })
    .filter((each) => each.isWellFormed() && !each.includes("\0"));
  const host = fc.oneof(fc.constantFrom("db.example.net", "2001:db8::1", "fe80::1%eth0", "/run/postgresql"));
  fc.assert(
    fc.property(
      text,
      text,
      text,
      host,
      fc.integer({ min: 1, max: 65_535 }),
      (user, password, database, place, port) => {
        const given = {
          host: place,
          port,
          user,
          password,
          database,
          sslmode: "verify-full",
          sslrootcert: "/a b",
          channelBinding: "disable",
        } as const;
        const read = readConnection(writeConnection(given));
        expect(read).toEqual(given);
      },
    ),
  );
});
