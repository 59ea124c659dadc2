import { expect, test } from "vitest";
import type { GivenSettings } from "../settings/list.ts";
import { describeStack, serviceNamed } from "../testing/descriptions.ts";
import { callEdges, outsideEdges } from "../description/service.ts";
import type { ServiceDescription } from "../description/service.ts";

const authorities = { databaseAuthority: "AUTHORITY", sessionsAuthority: "OTHER AUTHORITY" };
const describe = (given: GivenSettings): readonly ServiceDescription[] =>
  describeStack({ engine: "embedded", ...given }, "prod", authorities);
const namesOf = (services: readonly ServiceDescription[]): string[] => services.map(({ name }) => name);
/** The callers of the stack's own database, which all.test.ts lists. */
const callers = callEdges(describe({})).flatMap(([caller, callee]) => (callee === "database" ? [caller] : []));

test("an external database is not a service, and its callers call it externally", () => {
  const services = describe({ database: "external" });
  expect(namesOf(services)).not.toContain("database");
  expect(new Set(outsideEdges(services))).toEqual(new Set(callers.map((caller) => [caller, "database"])));
  expect(callEdges(services).flat()).not.toContain("database");
  for (const { after } of services) expect(after).not.toContain("database");
});

test("exactly the callers of an external database receive its certificate authority", () => {
  const holders = describe({ database: "external" }).filter(({ files }) => "database/ca.pem" in files);
  expect(callers).toContain("migrate");
  expect(namesOf(holders).toSorted()).toEqual(callers.toSorted());
  for (const { files } of describe({})) expect(files).not.toHaveProperty("database/ca.pem");
});

test("only the migration knows the superuser of an external database", () => {
  for (const database of ["external", "cloudnative-pg"]) {
    const services = describe({ database });
    const holders = services.filter(({ secrets }) =>
      Object.values(secrets).some((name) => name.startsWith("bootstrap-")),
    );
    expect(namesOf(holders)).toEqual(["migrate"]);
    expect(serviceNamed(services, "migrate").secrets["BOOTSTRAP_URL_FILE"]).toBe("bootstrap-database-url");
    expect(serviceNamed(services, "migrate").environment).toEqual({ ADMIN_EMAIL: "admin@example.net" });
  }
});

test("callers use and wait for an operator's database by its name", () => {
  const services = describe({ database: "cloudnative-pg" });
  expect(namesOf(services)).not.toContain("database");
  expect(serviceNamed(services, "migrate")).toMatchObject({ calls: ["database"] });
  expect(serviceNamed(services, "engine").calls).toContain("database");
});

test("only the sidecar calls an external session store", () => {
  const services = describe({ sessions: "external" });
  expect(namesOf(services)).not.toContain("sessions");
  expect(outsideEdges(services)).toEqual([["auth-sidecar", "sessions"]]);
  expect(serviceNamed(services, "auth-sidecar")).toMatchObject({ calls: ["database"], after: ["migrate"] });
});

test("only the sidecar receives an external session store's authority", () => {
  const holders = describe({ sessions: "external" }).filter(({ files }) => "sessions/ca.pem" in files);
  expect(namesOf(holders)).toEqual(["auth-sidecar"]);
  expect(holders[0]).toMatchObject({
    environment: { SESSIONS_CA_FILE: "/run/routeql/sessions/ca.pem" },
    files: { "sessions/ca.pem": "OTHER AUTHORITY" },
  });
  for (const { files, environment } of describe({})) {
    expect(files).not.toHaveProperty("sessions/ca.pem");
    expect(environment).not.toHaveProperty("SESSIONS_CA_FILE");
  }
});

test("a stack without external services has no external calls", () => {
  expect(outsideEdges(describe({}))).toEqual([]);
  expect(namesOf(describe({}))).toEqual(expect.arrayContaining(["database", "sessions"]));
});
