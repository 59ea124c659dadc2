import { readSettings as readSidecarSettings } from "@routeql/auth-sidecar/settings";
import { readSettings as readEngineSettings } from "@routeql/engine/settings/settings";
import { expect, test } from "vitest";
import { settings } from "../settings/list.ts";
import type { Setting } from "../settings/values/setting.ts";
import { describeStack } from "../testing/descriptions.ts";

const numbers = Object.entries<Setting>(settings).filter(([, { type }]) => type === "number");

/** Every number at one end of its range, in the environment of each service. */
function environments(end: "least" | "most"): ReadonlyMap<string, Readonly<Record<string, string>>> {
  const given = Object.fromEntries(
    numbers.map(([name, { allowed = "" }]) => {
      const [, least, most] = /^(\d+) to (\d+)$/.exec(allowed) ?? [];
      return [name, Number(end === "least" ? least : most)];
    }),
  );
  const services = describeStack({ ...given, engine: "embedded" });
  return new Map(services.map(({ name, environment }) => [name, environment as Record<string, string>]));
}

const sidecarSecrets = {
  DATABASE_URL: "postgres://sidecar:c2Vx7hPq@database/routeql",
  SESSIONS_URL: "redis://sessions",
  SERVICE_API_KEY: "f3a9d1c07b5e4826a1c9e07d35b8f264",
  KEY_ENCRYPTION_KEY: "b7e20f4c9d1a6835f0c4a7e92d5b8163",
  ADMIN_PASSWORD: "c2Vx7hPq-9fLm3Ta",
};

test("every number declares its range", () => {
  expect(numbers.length).toBeGreaterThan(20);
  for (const [name, { allowed }] of numbers) expect(allowed, name).toMatch(/^\d+ to \d+$/);
});

// nginx checks its settings while it renders them, so the description of the gateway fails for a value outside of its range.
test.each(["least", "most"] as const)("the services accept the %s value of every number", (end) => {
  const all = environments(end);
  expect(readSidecarSettings({ ...all.get("auth-sidecar"), ...sidecarSecrets }).LOG_LEVEL).toBe("info");
  expect(readEngineSettings({ ...all.get("engine"), HASURA_GRAPHQL_ADMIN_SECRET: "secret" }).logLevel).toBe("info");
});

test.each(["debug", "info", "warn", "error"] as const)(
  "the engine and the auth sidecar accept log level %s",
  (logLevel) => {
    expect(settings.logLevel.allowed.split(", ")).toContain(logLevel);
    expect(
      readSidecarSettings({ ...sidecarSecrets, ADMIN_EMAIL: "a@example.net", LOG_LEVEL: logLevel }).LOG_LEVEL,
    ).toBe(logLevel);
    expect(
      readEngineSettings({ HASURA_GRAPHQL_LOG_LEVEL: logLevel, HASURA_GRAPHQL_ADMIN_SECRET: "secret" }).logLevel,
    ).toBe(logLevel);
  },
);
