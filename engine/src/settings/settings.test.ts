import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { readSettings, settingNames, SettingsError } from "./settings.ts";

const secret = { HASURA_GRAPHQL_ADMIN_SECRET: "a-secret" };
const folder = mkdtempSync(join(tmpdir(), "engine-settings-"));

afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function problems(environment: Record<string, string>): readonly string[] {
  try {
    readSettings(environment);
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
  }
  throw new Error("the settings were not refused");
}

test("an admin secret is enough; all other settings have Hasura's defaults", () => {
  expect(readSettings(secret)).toMatchObject({
    port: 8080,
    adminSecret: "a-secret",
    jwt: undefined,
    enableConsole: false,
    enabledApis: ["metadata", "graphql", "config"],
    refetchInterval: 1_000,
    batchSize: 100,
    keepAlive: 5,
    connectionInitTimeout: 3,
    collapseNullComparisons: false,
    inferFunctionPermissions: true,
    mutations: true,
    stringifyNumericTypes: false,
    adminSecretHeaders: ["x-engine-access-key"],
    metricsPort: 9090,
    maxDepth: undefined,
    maxTokens: 20_000,
    maxNodes: 20_000,
    maxListNesting: 6,
    maxRelations: 200,
    maxConditions: 2_000,
    maxIntrospection: 30,
    maxAnswerBytes: 16_777_216,
    maxWaitingBytes: 67_108_864,
  });
});

test("does not start without an admin secret", () => {
  expect(problems({})).toEqual(["HASURA_GRAPHQL_ADMIN_SECRET: must be given"]);
});

test("reports all problems at once by name, and repeats no value", () => {
  const found = problems({
    HASURA_GRAPHQL_SERVER_PORT: "eighty-value",
    HASURA_GRAPHQL_ENABLE_CONSOLE: "perhaps-value",
    HASURA_GRAPHQL_ENABLED_APIS: "graphql,pgdump",
    HASURA_GRAPHQL_JWT_SECRET: '{"type":"HS256","key":"secret-value","audiance":"x"}',
    HASURA_GRAPHQL_LOG_LEVEL: "loud-value",
    HASURA_GRAPHQL_METADATA_DATABASE_URL: "host=value",
    HASURA_GRAPHQL_ENABLE_TELEMETRIE: "value",
    ENGINE_POOLSIZE: "value",
    ENGINE_POOL_SIZE: "0",
    ENGINE_ADMIN_SECRET_HEADERS: "good-header,bad header",
  });
  expect(found.toSorted()).toEqual([
    "ENGINE_ADMIN_SECRET_HEADERS: must be header names",
    "ENGINE_POOLSIZE: is not a setting of this engine",
    "ENGINE_POOL_SIZE: must be a whole number from 1 to 1000",
    "HASURA_GRAPHQL_ADMIN_SECRET: must be given",
    "HASURA_GRAPHQL_ENABLED_APIS: only graphql, metadata and config are served",
    "HASURA_GRAPHQL_ENABLE_CONSOLE: must be true or false",
    "HASURA_GRAPHQL_ENABLE_TELEMETRIE: is not a setting of this engine",
    'HASURA_GRAPHQL_JWT_SECRET: Unrecognized key: "audiance"',
    expect.stringMatching(/^HASURA_GRAPHQL_LOG_LEVEL: /),
    "HASURA_GRAPHQL_METADATA_DATABASE_URL: it must begin with postgres:// or postgresql://. A list of keywords is not supported",
    "HASURA_GRAPHQL_SERVER_PORT: must be a whole number from 0 to 65535",
  ]);
  expect(found.join()).not.toContain("value");
});

test.each(["not json secret", "[]", "7", '"text"'])("rejects a JWT secret of %j without repeating it", (text) => {
  const [problem] = problems({ ...secret, HASURA_GRAPHQL_JWT_SECRET: text });
  expect(problem).toMatch(/^HASURA_GRAPHQL_JWT_SECRET: /);
  expect(problem).not.toContain("secret text");
});

test.each([
  [`'{"jwk_url":"https://a.example/jwks"}'`, "must be JSON: remove the quotes around it"],
  ['{"type":"RS256",\n"key":"-----BEGIN\nsecret"}', "from line 2 column 18 on: write line ends in a value as \\n"],
  ['{"jwk_url":"https://a.example/jwks",}', "must be JSON, and is none from line 1 column 37 on"],
])("names the place and the remedy of a JWT secret that is no JSON: %j", (text, reason) => {
  const [problem] = problems({ ...secret, HASURA_GRAPHQL_JWT_SECRET: text });
  expect(problem).toContain(reason);
  expect(problem).not.toContain("secret");
});

test("reads every setting from a file, without line ends at its end", () => {
  const settings = readSettings({
    HASURA_GRAPHQL_ADMIN_SECRET_FILE: file("secret", "from a file\n"),
    HASURA_GRAPHQL_JWT_SECRET_FILE: file("jwt", '{"jwk_url":"http://auth-sidecar:8080/jwks"}\n'),
    ENGINE_MAX_DEPTH_FILE: file("depth", "7"),
  });
  expect(settings).toMatchObject({
    adminSecret: "from a file",
    maxDepth: 7,
    jwt: { jwk_url: "http://auth-sidecar:8080/jwks" },
  });
  expect(readSettings({ HASURA_GRAPHQL_ADMIN_SECRET_FILE: file("lines", "two\n\n") }).adminSecret).toBe("two");
});

test("a missing file and a duplicate value are problems", () => {
  expect(problems({ HASURA_GRAPHQL_ADMIN_SECRET_FILE: join(folder, "absent") })).toEqual([
    "HASURA_GRAPHQL_ADMIN_SECRET_FILE: the file cannot be read (ENOENT)",
  ]);
  expect(problems({ ...secret, HASURA_GRAPHQL_ADMIN_SECRET_FILE: file("twice", "x") })[0]).toContain("are set");
});

test("treats empty values as absent, and ignores other names", () => {
  const settings = readSettings({
    ...secret,
    HASURA_GRAPHQL_UNAUTHORIZED_ROLE: "",
    PATH: "/bin",
    HASURA_GRAPHQL_DATABASE_URL: "postgres://x",
  });
  expect(settings.unauthorizedRole).toBeUndefined();
});

test.each([
  ["true", true],
  ["T", true],
  ["Yes", true],
  ["y", true],
  ["FALSE", false],
  ["no", false],
])("parses %s as the boolean %s", (text, value) => {
  expect(readSettings({ ...secret, HASURA_GRAPHQL_DEV_MODE: text }).devMode).toBe(value);
});

test("accepts Hasura's experimental features, and rejects one that is not served", () => {
  const read = (text: string) =>
    readSettings({ ...secret, HASURA_GRAPHQL_EXPERIMENTAL_FEATURES: text }).experimentalFeatures;
  expect(read("naming_convention, hide_stream_fields")).toEqual(["naming_convention", "hide_stream_fields"]);
  expect(problems({ ...secret, HASURA_GRAPHQL_EXPERIMENTAL_FEATURES: "apollo_federation" })).toEqual([
    expect.stringMatching(/^HASURA_GRAPHQL_EXPERIMENTAL_FEATURES: only hide_aggregation_predicates, .* are served$/),
  ]);
});

test("statement timeouts by role are named numbers, each name once", () => {
  const read = (text: string) => readSettings({ ...secret, ENGINE_STATEMENT_TIMEOUTS: text }).statementTimeouts;
  expect(Object.fromEntries(read("viewer=10000, tenant=5"))).toEqual({ viewer: 10_000, tenant: 5 });
  expect(read("").size).toBe(0);
  for (const text of ["viewer", "viewer=0", "viewer=1,viewer=2", "=1", "viewer=x"]) {
    expect(problems({ ...secret, ENGINE_STATEMENT_TIMEOUTS: text })).toEqual([
      expect.stringMatching(/^ENGINE_STATEMENT_TIMEOUTS: must be a list/),
    ]);
  }
});

test("no two settings share a name", () => {
  expect(new Set(settingNames).size).toBe(settingNames.length);
});
