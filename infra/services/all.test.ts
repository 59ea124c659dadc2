import { expect, test } from "vitest";
import type { GivenSettings } from "../settings/list.ts";
import { hostEntries } from "../settings/values/host-entries.ts";
import { podServices } from "../settings/values/service-names.ts";
import { describeStack, describeTestService, serviceNamed } from "../testing/descriptions.ts";
import type { SecretName } from "../description/secrets.ts";
import { callEdges, inStartOrder, serviceUsers } from "../description/service.ts";
import type { ServiceDescription, ServiceName } from "../description/service.ts";

const describe = (given: GivenSettings = {}): readonly ServiceDescription[] => describeStack(given);
const service = (name: ServiceName, given: GivenSettings = {}): ServiceDescription =>
  serviceNamed(describe(given), name);

test("the published ports come from the settings", () => {
  expect(service("gateway", { httpPort: 8001, httpsPort: 8002, consolePort: 8003 }).ports).toEqual([
    { internal: 8080, published: 8001 },
    { internal: 8443, published: 8002 },
    { internal: 32_000, published: 8003 },
  ]);
});

test("the gateway's timeout exceeds the engine's statement timeout", () => {
  for (const statementTimeoutSeconds of [1, 30, 3600]) {
    const [, seconds] =
      /proxy_read_timeout (\d+)s/.exec(
        JSON.stringify(service("gateway", { statementTimeoutSeconds }).files["nginx/query-time.conf"]),
      ) ?? [];
    expect(Number(seconds)).toBe(statementTimeoutSeconds + 30);
  }
});

test("no running service has the first administrator's password", () => {
  const holders = describe().filter(({ secrets }) => Object.values(secrets).includes("admin-password"));
  expect(holders.map(({ name, run }) => [name, run])).toEqual([["migrate", "job"]]);
});

test("each service calls exactly these services", () => {
  expect(
    callEdges(describe())
      .map((edge) => edge.join(" to "))
      .toSorted(),
  ).toEqual([
    "auth-sidecar to database",
    "auth-sidecar to sessions",
    "engine to auth-sidecar",
    "engine to database",
    "gateway to auth-sidecar",
    "gateway to engine",
    "migrate to database",
  ]);
});

test("each service starts after those that it calls", () => {
  const before: ServiceName[] = [];
  for (const { name, calls, after } of describe({ monitoring: "stack", archive: true })) {
    expect(before).toEqual(expect.arrayContaining([...calls, ...after]));
    before.push(name);
  }
});

test("the start order follows from calls, and rejects a circle", () => {
  const [a, b, c] = [
    describeTestService({ name: "gateway", calls: ["engine"] }),
    describeTestService({ name: "engine", calls: ["database"], after: ["migrate"] }),
    describeTestService({ name: "migrate", run: "job" }),
  ];
  expect(inStartOrder([a, b, c]).map(({ name }) => name)).toEqual(["migrate", "engine", "gateway"]);
  expect(() => inStartOrder([a, { ...b, calls: ["gateway"] }])).toThrow("gateway waits for engine waits for gateway");
});

test("each service has a user id of the list that no account of the host may have", () => {
  const users = describe({ monitoring: "stack", archive: true, grafanaImage: "grafana/grafana:12.0.0" }).map(
    ({ user }) => user,
  );
  expect(users.filter((user) => !serviceUsers.includes(user))).toEqual([]);
});

const everything: readonly GivenSettings[] = [
  { monitoring: "stack", archive: true, grafanaImage: "grafana/grafana:12.0.0", feed: "all" },
  { engine: "hasura", target: "kubernetes", monitoring: "operator", feed: "all" },
];

test("no name of a service can be a host entry", () => {
  const services = everything.flatMap((given) => describe(given)).filter(({ run }) => run === "service");
  const free = services.filter(({ name }) => hostEntries.check(`${name}=192.0.2.1`) === undefined);
  expect(free.map(({ name }) => name)).toEqual([]);
});

test("the setting pods accepts each service of a cluster", () => {
  const services = everything.filter(({ target }) => target === "kubernetes").flatMap((given) => describe(given));
  const names: readonly string[] = podServices;
  expect(services.filter(({ name }) => !names.includes(name)).map(({ name }) => name)).toEqual([]);
});

test("clients of the database start after the migration", () => {
  expect(service("engine").after).toContain("migrate");
  expect(service("auth-sidecar").after).toContain("migrate");
  expect(service("migrate").calls).toEqual(["database"]);
});

test("all have different users, and none is root", () => {
  // The archive reads the files of the database.
  const users = describe().flatMap(({ name, user }) => (name === "archive" ? [] : [user]));
  expect(new Set(users).size).toBe(users.length);
  expect(Math.min(...users)).toBeGreaterThan(10_000);
});

test("variables of secrets end with _FILE, and no variable is set twice", () => {
  for (const { environment, secrets } of describe()) {
    for (const name of Object.keys(secrets)) {
      expect(name).toMatch(/_FILE$/);
      expect(environment).not.toHaveProperty(name);
      expect(environment).not.toHaveProperty(name.replace(/_FILE$/, ""));
    }
  }
});

test("only the database and the migration know the superuser's password", () => {
  const holders = describe().filter(({ secrets }) => Object.values(secrets).includes("bootstrap-password"));
  expect(holders.map(({ name }) => name)).toEqual(["database", "migrate"]);
});

test("each secret is only in the containers that use it", () => {
  const services = describe({
    archive: true,
    backupDestination: "s3://bucket/folder",
    monitoring: "stack",
    grafanaImage: "grafana/grafana:12.0.0",
    feed: "all",
    ldapUrl: "ldaps://ldap.example.net",
    ldapUserBase: "dc=example,dc=net",
    traceEndpoint: "http://192.0.2.10:4318",
  });
  const holders = (secret: SecretName) =>
    services.filter(({ secrets }) => Object.values(secrets).includes(secret)).map(({ name }) => name);
  const all = [...new Set(services.flatMap(({ secrets }) => Object.values(secrets)))];
  const shared = all
    .filter((secret) => holders(secret).join() !== "migrate")
    .map((secret) => [secret, holders(secret)]);
  expect(Object.fromEntries(shared)).toEqual({
    // The database sends its changes to the archive by itself.
    "archive-key": ["database", "archive"],
    "storage-key": ["database", "archive"],
    "storage-key-id": ["database", "archive"],
    "bootstrap-password": ["database", "migrate"],
    "engine-access-key": ["engine"],
    "previous-engine-access-key": ["engine"],
    "engine-database-url": ["engine"],
    "feed-database-url": ["feed"],
    "gateway-key": ["auth-sidecar"],
    "key-encryption-key": ["auth-sidecar"],
    "previous-key-encryption-key": ["auth-sidecar"],
    "service-api-key": ["auth-sidecar"],
    "previous-service-api-key": ["auth-sidecar"],
    "sessions-url": ["auth-sidecar"],
    "sidecar-database-url": ["auth-sidecar"],
    "sessions-login": ["sessions"],
    "sessions-monitor-password": ["sessions"],
    "sessions-monitor-login": ["sessions-exporter"],
    "monitor-password": ["migrate", "database-exporter"],
    "monitoring-password": ["alertmanager", "grafana", "prometheus"],
  });
});

test("only the gateway has the certificate's private key, and it has no other secret", () => {
  const holders = describe().filter(({ files }) =>
    Object.values(files).some((content) => typeof content === "object" && "secret" in content),
  );
  expect(holders.map(({ name }) => name)).toEqual(["gateway"]);
  expect(service("gateway").secrets).toEqual({});
  expect(service("gateway").files["tls/private-key.pem"]).toEqual({ secret: "tls-private-key" });
});

test.each(["embedded", "hasura"] as const)("with %s the console setting changes only the gateway", (engine) => {
  const [without, withConsole] = [
    describe({ engine, engineConsole: false }),
    describe({ engine, engineConsole: true }),
  ];
  const changed = withConsole.filter(
    (described, index) => JSON.stringify(described) !== JSON.stringify(without[index]),
  );
  expect(changed.map(({ name }) => name)).toEqual(["gateway"]);
});

test("the token lifetime changes only the auth sidecar and the bound of the embedded engine", () => {
  const [before, after] = [describe(), describe({ tokenLifeSeconds: 60 })];
  const changed = after.filter((described, index) => JSON.stringify(described) !== JSON.stringify(before[index]));
  expect(changed.map(({ name }) => name).toSorted()).toEqual(["auth-sidecar", "engine"]);
});
