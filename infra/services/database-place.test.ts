import fc from "fast-check";
import { expect, test } from "vitest";
import { clusterDatabase, databaseUrl, placeOfUrl, singleDatabase } from "./database-place.ts";

test("the URL of the stack's own database stays the same", () => {
  expect(databaseUrl(singleDatabase, singleDatabase.host, { user: "routeql_engine", password: "abc123" })).toBe(
    "postgres://routeql_engine:abc123@database:5432/routeql",
  );
});

test("a database cluster has one host for writes and one for reads, both verified", () => {
  const place = clusterDatabase({ readFromCopies: true });
  expect([place.host, place.readHost]).toEqual(["database-rw", "database-ro"]);
  const url = new URL(databaseUrl(place, place.readHost, { user: "u", password: "p" }));
  expect(url.searchParams.get("sslmode")).toBe("verify-full");
  expect(url.searchParams.get("sslrootcert")).toBe("/run/routeql/database/ca.pem");
  expect(clusterDatabase({ readFromCopies: false }).readHost).toBe("database-rw");
});

test("splits and rebuilds URLs with any user and password", () => {
  const text = fc.string({ minLength: 1, unit: "grapheme" });
  fc.assert(
    fc.property(text, text, (user, password) => {
      const login = { user, password };
      const place = { ...singleDatabase, host: "db.example.net", readHost: "db.example.net", port: 6432 };
      expect(placeOfUrl(databaseUrl(place, place.host, login), undefined)).toEqual({ place, login });
    }),
  );
});

test("verifies with a given authority; otherwise the URL's own parameters apply", () => {
  const given = "postgres://root:pw@db.example.net/routes?sslmode=require";
  expect(placeOfUrl(given, undefined).place).toMatchObject({
    port: 5432,
    name: "routes",
    parameters: { sslmode: "require" },
  });
  // As libpq documents for sslmode=require with an authority.
  expect(placeOfUrl(given, "database").place.parameters).toMatchObject({ sslmode: "verify-ca" });
  expect(placeOfUrl("postgres://root:pw@db.example.net/routes", "database").place.parameters).toEqual({
    sslmode: "verify-full",
    sslrootcert: "/run/routeql/database/ca.pem",
  });
  const system = "postgres://root:pw@db.example.net/routes?sslrootcert=system&application_name=x";
  expect(placeOfUrl(system, undefined).place.parameters).toEqual({ sslmode: "verify-full", sslrootcert: "system" });
});

test("the common authorities serve a URL that verifies and names no authority", () => {
  const parametersOf = (query: string) =>
    placeOfUrl(`postgres://root:pw@db.example.net/routes${query}`, "common").place.parameters;
  expect(parametersOf("?sslmode=verify-full")).toEqual({
    sslmode: "verify-full",
    sslrootcert: "/run/routeql/database/ca.pem",
  });
  expect(parametersOf("?sslmode=require")).toEqual({ sslmode: "require" });
  expect(parametersOf("?sslrootcert=system")).toEqual({ sslmode: "verify-full", sslrootcert: "system" });
  expect(parametersOf("")).toEqual({});
});

test("the services of the stack log in as the URL of the administrator demands", () => {
  const given = "postgres://root:pw@db.example.net/routes?sslmode=require&channel_binding=require";
  for (const delivered of [undefined, "database", "common"] as const) {
    const { place, login } = placeOfUrl(given, delivered);
    expect(databaseUrl(place, place.host, login)).toContain("&channel_binding=require");
  }
});

test("keeps an IPv6 address without brackets as the host, and with them in URLs", () => {
  const { place, login } = placeOfUrl("postgres://root:pw@[2001:db8::5]:6432/routes?ssl=true", undefined);
  expect(place).toMatchObject({ host: "2001:db8::5", port: 6432, parameters: { sslmode: "require" } });
  expect(databaseUrl(place, place.host, login)).toBe("postgres://root:pw@[2001:db8::5]:6432/routes?sslmode=require");
});
