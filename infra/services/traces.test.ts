import { readSettings as readSidecarSettings } from "@routeql/auth-sidecar/settings";
import { readSettings as readEngineSettings } from "@routeql/engine/settings/settings";
import { expect, test } from "vitest";
import type { GivenSettings } from "../settings/list.ts";
import { ownEngineImage } from "../settings/declared/images.ts";
import { describeStack } from "../testing/descriptions.ts";
import { outsideEdges, type ServiceDescription } from "../description/service.ts";

const describe = (given: GivenSettings): readonly ServiceDescription[] =>
  describeStack({ engine: "embedded", ...given });
const traceEndpoint = "http://192.0.2.10:4318";

test("without an endpoint no service knows a collector", () => {
  expect(JSON.stringify(describe({ tracePercent: 50 }))).not.toMatch(/collector|TRACE_/);
});

test("the engine and the auth sidecar, and no other service, reach the collector", () => {
  const services = describe({ traceEndpoint, tracePercent: 50 });
  expect(outsideEdges(services)).toEqual([
    ["auth-sidecar", "collector"],
    ["engine", "collector"],
  ]);
  for (const { name, environment } of services) {
    const isTraced = name === "engine" || name === "auth-sidecar";
    expect([environment["TRACE_ENDPOINT"], environment["TRACE_PERCENT"]]).toEqual(
      isTraced ? [traceEndpoint, "50"] : [undefined, undefined],
    );
  }
});

test("both services accept the settings", () => {
  const given = { TRACE_ENDPOINT: traceEndpoint, TRACE_PERCENT: "50" };
  expect(readEngineSettings({ ...given, HASURA_GRAPHQL_ADMIN_SECRET: "secret" })).toMatchObject({
    traceEndpoint,
    tracePercent: 50,
  });
  const secrets = {
    DATABASE_URL: "postgres://sidecar:c2Vx7hPq@database/routeql",
    SESSIONS_URL: "redis://sessions",
    SERVICE_API_KEY: "f3a9d1c07b5e4826a1c9e07d35b8f264",
    KEY_ENCRYPTION_KEY: "b7e20f4c9d1a6835f0c4a7e92d5b8163",
  };
  expect(readSidecarSettings({ ...given, ...secrets })).toMatchObject({
    TRACE_ENDPOINT: traceEndpoint,
    TRACE_PERCENT: 50,
  });
});

test("Hasura exports no traces; the front and this project's engine do", () => {
  const callers = (hasuraImage?: string, front = true): unknown[] =>
    outsideEdges(describe({ engine: "hasura", traceEndpoint, hasuraImage, front })).map(([caller]) => caller);
  expect(callers()).toEqual(["auth-sidecar", "front"]);
  expect(callers(undefined, false)).toEqual(["auth-sidecar"]);
  expect(callers(ownEngineImage)).toEqual(["auth-sidecar", "engine"]);
});
