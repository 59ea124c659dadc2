import { ownOrigins } from "../components/addresses.ts";
import type { PlainSettings } from "../settings/list.ts";
import type { ServiceDescription } from "./description.ts";
import { metadataDirectory, metadataFiles, tokenCheck } from "./metadata-files.ts";

/** The limits that the embedded engine has and Hasura's open edition has not. */
export function embeddedLimits(settings: PlainSettings): Readonly<Record<string, string>> {
  return {
    ENGINE_METRICS_PORT: "9090",
    ENGINE_MAX_DEPTH: String(settings.queryDepth),
    ENGINE_MAX_BREADTH: String(settings.queryBreadth),
    ENGINE_BODY_LIMIT: String(settings.bodyLimitKilobytes * 1024),
    ENGINE_STATEMENT_TIMEOUT: String(settings.statementTimeoutSeconds * 1000),
  };
}

/** The embedded engine, under Hasura's own names where Hasura has one; it reads the metadata directory at its start. */
export function describeEmbeddedEngine(settings: PlainSettings): ServiceDescription {
  return {
    name: "engine",
    run: "service",
    image: "engine",
    command: ["node", "engine/src/main.ts"],
    user: 10_102,
    environment: {
      HASURA_GRAPHQL_SERVER_PORT: "8080",
      HASURA_GRAPHQL_JWT_SECRET: tokenCheck,
      HASURA_GRAPHQL_ENABLE_CONSOLE: String(settings.engineConsole),
      HASURA_GRAPHQL_ENABLED_APIS: "graphql",
      // A page of another origin reads no answer and opens no WebSocket; clients that are no pages send no origin.
      HASURA_GRAPHQL_CORS_DOMAIN: ownOrigins(settings),
      HASURA_GRAPHQL_LOG_LEVEL: settings.logLevel,
      ENGINE_METADATA_DIRECTORY: metadataDirectory,
      ENGINE_POOL_SIZE: String(settings.enginePoolSize),
      ...embeddedLimits(settings),
    },
    secrets: {
      HASURA_GRAPHQL_ADMIN_SECRET_FILE: "engine-access-key",
      ROUTEQL_DATABASE_URL_FILE: "engine-database-url",
    },
    files: metadataFiles(),
    temporary: { "/tmp": 16 },
    ports: [],
    listens: [{ name: "http", port: 8080 }],
    metricsPort: 9090,
    health: { kind: "http", port: 8080, path: "/healthz?strict=true" },
    alive: { kind: "http", port: 8080, path: "/v1/version" },
    resources: { memoryMegabytes: 512, cpuMillicores: 250, processes: 512 },
    calls: ["database", "auth-sidecar"],
    after: ["migrate", "auth-sidecar"],
    drainSeconds: 5,
    graceSeconds: 30,
  };
}
