import { expect, test } from "vitest";
import { settingNames, readSettings } from "@routeql/engine/settings/settings";
import type { GivenSettings } from "../settings/list.ts";
import { describeStack, serviceNamed } from "../testing/descriptions.ts";
import { callEdges } from "../description/service.ts";
import type { ServiceDescription, ServiceName } from "../description/service.ts";

const describe = (given: GivenSettings = {}): readonly ServiceDescription[] =>
  describeStack({ engine: "hasura", ...given });
const service = (name: ServiceName, given: GivenSettings = {}): ServiceDescription =>
  serviceNamed(describe(given), name);

test("applies metadata once after the migration, and the engine waits for it", () => {
  expect(service("apply-metadata")).toMatchObject({ run: "job", after: ["migrate"], calls: ["database"] });
  expect(service("engine").after).toEqual(["apply-metadata"]);
  const ofHasura = new Set<ServiceName>(["apply-metadata", "engine", "front"]);
  expect(callEdges(describe()).filter(([caller]) => ofHasura.has(caller))).toEqual([
    ["apply-metadata", "database"],
    ["engine", "database"],
    ["front", "engine"],
    ["front", "auth-sidecar"],
  ]);
});

test("only the front reaches Hasura, which verifies no token itself", () => {
  expect(callEdges(describe()).filter(([, callee]) => callee === "engine")).toEqual([["front", "engine"]]);
  expect(service("gateway").calls).toEqual(["front", "auth-sidecar"]);
  expect(service("engine").environment).not.toHaveProperty("HASURA_GRAPHQL_JWT_SECRET");
  expect(service("front").environment["HASURA_GRAPHQL_JWT_SECRET"]).toContain("jwks");
  expect(Object.values(service("front").secrets)).toEqual([
    "engine-access-key",
    "previous-engine-access-key",
    "engine-upstream-key",
  ]);
  expect(Object.values(service("engine").secrets)).not.toContain("engine-access-key");
});

test.each<GivenSettings>([{ front: false }, { hasuraImage: "routeql/engine" }])(
  "with %j no front stands before the engine, which verifies the tokens",
  (given) => {
    expect(describe(given).map(({ name }) => name)).not.toContain("front");
    expect(service("gateway", given).calls).toEqual(["engine", "auth-sidecar"]);
    expect(service("engine", given).environment["HASURA_GRAPHQL_JWT_SECRET"]).toContain("jwks");
  },
);

test("the front has only settings of the embedded engine that exist", () => {
  const { environment } = service("front");
  const own = Object.keys(environment).filter((name) => /^(?:ENGINE|HASURA)_/.test(name));
  expect(own.filter((name) => !settingNames.includes(name))).toEqual([]);
  expect(() => readSettings({ ...environment, HASURA_GRAPHQL_ADMIN_SECRET: "s".repeat(32) })).not.toThrow();
});

test.each<[GivenSettings, string | undefined]>([
  [{}, undefined],
  [{ ipFamilies: "IPv4" }, "*"],
  [{ ipFamilies: "IPv6" }, "*6"],
  [{ ipFamilies: "IPv4,IPv6" }, "*6"],
  [{ ipFamilies: "IPv6", hasuraImage: "routeql/engine" }, undefined],
])("with %j Hasura listens on %s", (given, host) => {
  expect(service("engine", given).environment["HASURA_GRAPHQL_SERVER_HOST"]).toBe(host);
});

test("only the job has the metadata, so changed metadata does not restart the engine", () => {
  expect(Object.keys(service("apply-metadata").files)).toContain("metadata/version.yaml");
  expect(Object.keys(service("engine").files)).toEqual(["start/hasura.sh"]);
});

test("a changed schema changes the job", () => {
  expect(service("apply-metadata").environment["SCHEMA_VERSION"]).toMatch(/^[0-9a-f]{12}$/);
});

test("the job knows neither the master key nor the token issuer", () => {
  const { environment, secrets } = service("apply-metadata");
  expect(Object.values(secrets).toSorted()).toEqual(["engine-primary-database-url", "metadata-database-url"]);
  expect(JSON.stringify(environment)).not.toContain("jwk");
});

test("opens only the graphql API, rejects anonymous requests and sends no telemetry", () => {
  const { environment } = service("engine");
  expect(environment).toMatchObject({
    HASURA_GRAPHQL_ENABLED_APIS: "graphql",
    HASURA_GRAPHQL_ENABLE_CONSOLE: "false",
    HASURA_GRAPHQL_ENABLE_TELEMETRY: "false",
    HASURA_GRAPHQL_DEV_MODE: "false",
    HASURA_GRAPHQL_ADMIN_INTERNAL_ERRORS: "false",
  });
  expect(environment).not.toHaveProperty("HASURA_GRAPHQL_UNAUTHORIZED_ROLE");
  expect(environment).not.toHaveProperty("HASURA_GRAPHQL_CONSOLE_ASSETS_DIR");
});

test("its secrets are files, which a shell reads before it starts Hasura", () => {
  const { environment, secrets, files } = service("engine");
  expect(Object.values(secrets).toSorted()).toEqual([
    "engine-database-url",
    "engine-upstream-key",
    "metadata-database-url",
  ]);
  const script = files["start/hasura.sh"] as string;
  for (const name of Object.keys(secrets)) {
    expect(environment).not.toHaveProperty(name.replace(/_FILE$/, ""));
    expect(script).toContain(name.replace(/_FILE$/, ""));
  }
  expect(script.trimEnd().split("\n").at(-1)).toBe("exec graphql-engine serve");
});

test("only this project's own engine receives limits that Hasura does not support", () => {
  const ofOwn = (given: GivenSettings) =>
    Object.keys(service("engine", given).environment).filter((name) => name.startsWith("ENGINE_"));
  expect(ofOwn({})).toEqual([]);
  expect(ofOwn({ hasuraImage: "routeql/engine" })).toContain("ENGINE_MAX_DEPTH");
});

/** Names that images/engine/graphql-engine removes before the embedded engine reads its environment. */
const withoutMeaning = new Set(
  ["ENABLE_TELEMETRY", "ENABLED_LOG_TYPES", "PG_CONNECTIONS"].map((name) => `HASURA_GRAPHQL_${name}`),
);

test("this project's own engine accepts all settings of Hasura", () => {
  const { environment } = service("engine", { hasuraImage: "routeql/engine" });
  const given = Object.entries(environment).filter(([name]) => !withoutMeaning.has(name));
  expect(given.map(([name]) => name).filter((name) => !settingNames.includes(name))).toEqual([]);
  expect(() =>
    readSettings({ ...Object.fromEntries(given), HASURA_GRAPHQL_ADMIN_SECRET: "0123456789abcdef0123456789abcdef" }),
  ).not.toThrow();
});
