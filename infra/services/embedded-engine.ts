import { derive, textOf } from "../inputs.ts";
import type { Settings } from "../settings/list.ts";
import type { ServiceDescription } from "../description/service.ts";
import { metadataOf, sessionVariables, tokenCheck } from "./metadata-files.ts";

/**
 * The heap contains caches and plans. Outside it are answers being read (ENGINE_POOL_SIZE times ENGINE_MAX_ANSWER_BYTES), answers that
 * wait for clients (ENGINE_MAX_WAITING_BYTES) and node itself. These bounds apply before the container's limit.
 */
const heapMegabytes = 256;
const answerMegabytes = 16;
const waitingMegabytes = 64;
const memoryMegabytes = 640;

/** The front has no plans. It collects garbage early, shares one arena of malloc and returns large buffers at once, which halves its memory after a load. */
export const frontNode = ["node", "--optimize-for-size", "--max-semi-space-size=4", "--max-old-space-size=128"];
const frontArenas = { MALLOC_ARENA_MAX: "1", MALLOC_MMAP_THRESHOLD_: "131072" };
const frontWaitingMegabytes = 32;
const frontMemoryMegabytes = 384;

/**
 * Maximum tables and subqueries of one operation. Postgres plans each partition of each of them: at 12 partitions, two statements with
 * 66 conditions on related rows (two tables each) used all memory of the database's container.
 */
const relations = 40;

/** Properties of both engines. */
export const eitherEngine = {
  name: "engine",
  run: "service",
  image: "engine",
  user: 10_102,
  temporary: { "/tmp": 16 },
  ports: [],
  listens: [{ name: "http", port: 8080 }],
  health: { kind: "http", port: 8080, path: "/healthz?strict=true" },
  alive: { kind: "http", port: 8080, path: "/v1/version" },
  drainSeconds: 5,
  graceSeconds: 30,
} as const satisfies Partial<ServiceDescription>;

/** Settings that both engines read. */
export function eitherEnvironment(settings: Settings): ServiceDescription["environment"] {
  return {
    HASURA_GRAPHQL_SERVER_PORT: "8080",
    // The console of the gateway needs only GraphQL. The other APIs can read and change everything that the engine's role may.
    HASURA_GRAPHQL_ENABLED_APIS: settings.engineMetadataApi ? "graphql,metadata,config" : "graphql",
    // The gateway checks the origins of requests and WebSockets. Another origin would replace the engine.
    HASURA_GRAPHQL_CORS_DOMAIN: "*",
    HASURA_GRAPHQL_LOG_LEVEL: settings.logLevel,
  };
}

/** Keys of clients with full access: the current one, and the one before its last rotation. */
export const accessKeys = {
  HASURA_GRAPHQL_ADMIN_SECRET_FILE: "engine-access-key",
  ENGINE_PREVIOUS_ADMIN_SECRET_FILE: "previous-engine-access-key",
} as const;

/** Limits of the front, and of the embedded engine, that Hasura's open edition lacks. */
export function embeddedLimits(settings: Settings): ServiceDescription["environment"] {
  return {
    ENGINE_METRICS_PORT: "9090",
    // The gateway lets only these headers of a client with the access key pass; a message of a WebSocket must not set more.
    ENGINE_SESSION_VARIABLES: ["x-hasura-role", ...sessionVariables(settings)].join(","),
    ENGINE_MUTATIONS: textOf(settings.engineMutations),
    ENGINE_MAX_TOKEN_LIFE: textOf(settings.tokenLifeSeconds),
    ENGINE_MAX_DEPTH: textOf(settings.queryDepth),
    ENGINE_MAX_BREADTH: textOf(settings.queryBreadth),
    ENGINE_BODY_LIMIT: derive(settings.bodyLimitKilobytes, (kilobytes) => String(kilobytes * 1024)),
    ENGINE_MAX_RELATIONS: String(relations),
    ENGINE_MAX_ANSWER_BYTES: String(answerMegabytes * 1_048_576),
    ENGINE_MAX_WAITING_BYTES: String(waitingMegabytes * 1_048_576),
    ...(settings.previousEngineAccessKeyUntil === undefined
      ? {}
      : { ENGINE_PREVIOUS_ADMIN_SECRET_UNTIL: settings.previousEngineAccessKeyUntil }),
    ENGINE_STATEMENT_TIMEOUT: derive(settings.statementTimeoutSeconds, (seconds) => String(seconds * 1000)),
    ENGINE_STATEMENT_TIMEOUTS: derive(settings.statementTimeoutSecondsByRole, millisecondsByRole),
  };
}

/** `viewer=10` becomes `viewer=10000`. */
function millisecondsByRole(secondsByRole: string): string {
  return secondsByRole.replace(/=(\d+)/g, (_match, seconds: string) => `=${Number(seconds) * 1000}`);
}

/** The front before Hasura: the embedded engine's HTTP and WebSocket side, without its database. It reads the names of lists from the metadata. */
export function describeFront(settings: Settings): ServiceDescription {
  const engine = describeEmbeddedEngine(settings);
  return {
    ...engine,
    name: "front",
    image: "front",
    command: [...frontNode, "engine/src/main.ts"],
    user: 10_114,
    environment: {
      ...engine.environment,
      ...frontArenas,
      ENGINE_UPSTREAM: "http://engine:8080",
      ENGINE_MAX_WAITING_BYTES: String(frontWaitingMegabytes * 1_048_576),
    },
    secrets: { ...accessKeys, ENGINE_UPSTREAM_SECRET_FILE: "engine-upstream-key" },
    health: { kind: "http", port: 8080, path: "/healthz" },
    // Up to eight times as much: one processor, which is all that its one thread can use.
    resources: { memoryMegabytes: frontMemoryMegabytes, cpuMillicores: 125, processes: 512 },
    calls: ["engine", "auth-sidecar"],
    after: [],
  };
}

/** The embedded engine. Its settings have Hasura's names where Hasura has the same setting. It reads the metadata directory at its start. */
export function describeEmbeddedEngine(settings: Settings): ServiceDescription {
  const metadata = metadataOf(settings);
  return {
    ...eitherEngine,
    command: ["node", `--max-old-space-size=${heapMegabytes}`, "engine/src/main.ts"],
    environment: {
      ...eitherEnvironment(settings),
      HASURA_GRAPHQL_JWT_SECRET: tokenCheck(settings),
      ENGINE_METADATA_DIRECTORY: metadata.path,
      ENGINE_POOL_SIZE: textOf(settings.enginePoolSize),
      ENGINE_LIVE_QUERIES: settings.engineLiveQueries,
      ENGINE_LIVE_QUERY_BUDGET: textOf(settings.engineLiveQueryBudget),
      ...embeddedLimits(settings),
    },
    secrets: {
      ...accessKeys,
      ROUTEQL_DATABASE_URL_FILE: "engine-database-url",
      // A replica sends no notices of changes.
      ...(settings.database === "cloudnative-pg" && settings.databaseReadFromCopies
        ? { ENGINE_PRIMARY_DATABASE_URL_FILE: "engine-primary-database-url" }
        : {}),
    },
    files: metadata.files,
    metricsPort: 9090,
    resources: { memoryMegabytes, cpuMillicores: 250, processes: 512 },
    calls: ["database", "auth-sidecar"],
    after: ["migrate"],
  };
}
