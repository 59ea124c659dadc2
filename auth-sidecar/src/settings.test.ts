import { describe, expect, test } from "vitest";
import { readSettings, SettingsError, settingsReference } from "./settings.ts";

const needed = {
  DATABASE_URL: "postgres://routeql_sidecar:c2Vx7hPq@database:5432/routeql",
  SESSIONS_URL: "redis://sessions:6379",
  SERVICE_API_KEY: "f3a9d1c07b5e4826a1c9e07d35b8f264",
  KEY_ENCRYPTION_KEY: "b7e20f4c9d1a6835f0c4a7e92d5b8163",
};

function problems(
  environment: Record<string, string | undefined>,
  files: Record<string, string> = {},
): readonly string[] {
  try {
    readSettings(environment, (path) => {
      const content = files[path];
      if (content === undefined) throw Object.assign(new Error("no such file"), { code: "ENOENT" });
      return content;
    });
  } catch (error) {
    if (error instanceof SettingsError) return error.problems;
    throw error;
  }
  return [];
}

test("accepts the required settings and has the documented defaults", () => {
  expect(readSettings(needed)).toMatchObject({
    PORT: 8080,
    METRICS_PORT: 9090,
    TOKEN_ISSUER: "routeql",
    TOKEN_AUDIENCE: "routeql",
    TOKEN_LIFE_SECONDS: 900,
    SESSION_IDLE_SECONDS: 900,
    SESSION_ABSOLUTE_SECONDS: 28_800,
    JWKS_MAX_AGE_SECONDS: 60,
    LOG_LEVEL: "info",
  });
});

test("reports all problems together without a value", () => {
  const found = problems({
    DATABASE_URL: "mysql://database",
    SERVICE_API_KEY: "short-but-my-own",
    KEY_ENCRYPTION_KEY: needed.KEY_ENCRYPTION_KEY,
    TOKEN_LIFE_SECONDS: "3601",
    SESSION_IDLE_SECONDS: "ten",
    LOG_LEVEL: "loud",
    PORT: "70000",
  });
  expect(found).toEqual([
    "PORT: must be at most 65535",
    "DATABASE_URL: must be an address that starts with postgres:// or postgresql://",
    "SESSIONS_URL: is required",
    "SERVICE_API_KEY: must have at least 32 characters",
    "TOKEN_LIFE_SECONDS: must be at most 3600",
    "SESSION_IDLE_SECONDS: must be a whole number",
    "LOG_LEVEL: must be a pino level",
  ]);
  expect(found.join()).not.toContain("short-but-my-own");
});

test.each([
  ["TOKEN_LIFE_SECONDS", "59"],
  ["TOKEN_LIFE_SECONDS", ""],
  ["TOKEN_LIFE_SECONDS", "1e3"],
  ["TOKEN_LIFE_SECONDS", " 900"],
  ["TOKEN_LIFE_SECONDS", "-900"],
  ["TOKEN_LIFE_SECONDS", "0x384"],
  ["TOKEN_ISSUER", ""],
  ["TOKEN_ISSUER", "two words"],
  ["LOGIN_ATTEMPTS_PER_ACCOUNT", "0"],
  ["SESSIONS_URL", "http://sessions"],
  ["SESSIONS_URL", "redis://"],
  ["DATABASE_URL", "postgres://postgres:postgres@database/routeql"],
  ["DATABASE_URL", "postgres://routeql:change%2Dme@database/routeql"],
  ["SERVICE_API_KEY", "changemechangemechangemechangeme"],
  ["SERVICE_API_KEY", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"],
])("%s=%j is refused", (name, value) => {
  const [problem, ...others] = problems({ ...needed, [name]: value });
  expect(others).toEqual([]);
  expect(problem).toMatch(new RegExp(`^${name}: `));
});

describe("NAME_FILE", () => {
  test("gives the content of the file, without line ends at its end", () => {
    const { SERVICE_API_KEY, ...rest } = needed;
    for (const ending of ["", "\n", "\r\n"]) {
      expect(
        readSettings({ ...rest, SERVICE_API_KEY_FILE: "/key" }, () => SERVICE_API_KEY + ending).SERVICE_API_KEY,
      ).toBe(SERVICE_API_KEY);
    }
  });

  test("is a problem when the file cannot be read, and the only one for that setting", () => {
    const { SERVICE_API_KEY: _, ...rest } = needed;
    expect(problems({ ...rest, SERVICE_API_KEY_FILE: "/absent" })).toEqual([
      "SERVICE_API_KEY_FILE: the file cannot be read (ENOENT)",
    ]);
  });

  test("is a problem beside NAME", () => {
    expect(problems({ ...needed, SERVICE_API_KEY_FILE: "/key" }, { "/key": needed.SERVICE_API_KEY })).toEqual([
      "SERVICE_API_KEY: both SERVICE_API_KEY and SERVICE_API_KEY_FILE are set",
    ]);
  });
});

describe("an unknown name", () => {
  test.each(["TOKEN_LIFETIME", "SESSION_IDLE", "DATABASE_URI", "LOGIN_ATTEMPTS", "TOKEN_LIFETIME_FILE", "LDAP_URI"])(
    "%s is refused",
    (name) => {
      expect(problems({ ...needed, [name]: "1" })).toEqual([`${name}: is not a setting`]);
    },
  );

  test.each([
    "PATH",
    "HOME",
    "HOSTNAME",
    "NODE_ENV",
    "DATABASE_SERVICE_HOST",
    "DATABASE_PORT",
    "SESSIONS_PORT_6379_TCP_ADDR",
    "SESSIONS_SERVICE_PORT_REDIS",
  ])("ignores %s, which the platform sets", (name) => {
    expect(problems({ ...needed, [name]: "tcp://10.0.0.1:1" })).toEqual([]);
  });
});

describe("settings that contradict each other", () => {
  test("an absolute limit below the idle limit", () => {
    expect(problems({ ...needed, SESSION_IDLE_SECONDS: "60", SESSION_ABSOLUTE_SECONDS: "59" })).toEqual([
      "SESSION_ABSOLUTE_SECONDS: must not be less than SESSION_IDLE_SECONDS",
    ]);
  });

  test("one secret for two purposes", () => {
    expect(problems({ ...needed, KEY_ENCRYPTION_KEY: needed.SERVICE_API_KEY })).toEqual([
      "SERVICE_API_KEY, PREVIOUS_SERVICE_API_KEY, KEY_ENCRYPTION_KEY, PREVIOUS_KEY_ENCRYPTION_KEY: must differ from each other",
    ]);
  });
});

test("every setting has a description", () => {
  for (const { name, purpose } of settingsReference()) expect(purpose, name).toMatch(/^[A-Z/].+\.$/);
});
