import { z } from "zod";
import { jwtSettingsSchema } from "../auth/jwt-settings.ts";
import { urlProblem } from "@routeql/contract/connection/connection";
import { defaultCostLimits } from "../cost/limits.ts";
import type { Environment } from "@routeql/contract/environment";
import { traceSettings } from "@routeql/tracing/settings";
import {
  checkedBy,
  flag,
  integer,
  json,
  limitsByName,
  list,
  optionalInteger,
  optionalList,
  origins,
  readEnvironment,
} from "./environment.ts";

const headerName = /^[a-z0-9!#$%&'*+.^_`|~-]+$/;
const secondsPerDay = 86_400;
const mebibyte = 1_048_576;

const experimentalFeatures = [
  "hide_aggregation_predicates",
  "hide_stream_fields",
  "hide_update_many_fields",
  "inherited_roles",
  "naming_convention",
  "optimize_permission_filters",
  "streaming_subscriptions",
] as const;

const databaseUrl = z.string().superRefine((url, context) => {
  const problem = urlProblem(url);
  if (problem !== undefined) context.addIssue({ code: "custom", message: problem });
});

/** Every setting: its name in the environment (each also as `<NAME>_FILE`), type, default and bounds. */
const definitions = {
  port: ["HASURA_GRAPHQL_SERVER_PORT", integer(8080, 0, 65_535)],
  host: ["HASURA_GRAPHQL_SERVER_HOST", z.string().default("*")],
  /** Grants access to everything. Without a secret Hasura would make every client admin; this engine does not start. */
  adminSecret: ["HASURA_GRAPHQL_ADMIN_SECRET", z.string({ error: "must be given" })],
  /** Before its last rotation; accepted until that time (ISO 8601). */
  previousAdminSecret: ["ENGINE_PREVIOUS_ADMIN_SECRET", z.string().optional()],
  previousAdminSecretUntil: ["ENGINE_PREVIOUS_ADMIN_SECRET_UNTIL", z.iso.datetime({ offset: true }).optional()],
  jwt: ["HASURA_GRAPHQL_JWT_SECRET", json(jwtSettingsSchema)],
  unauthorizedRole: ["HASURA_GRAPHQL_UNAUTHORIZED_ROLE", z.string().optional()],
  /** The gateway serves the console. */
  enableConsole: [
    "HASURA_GRAPHQL_ENABLE_CONSOLE",
    flag(false).refine((enabled) => !enabled, {
      error: "must be false: the gateway serves the console (ENGINE_CONSOLE)",
    }),
  ],
  enabledApis: [
    "HASURA_GRAPHQL_ENABLED_APIS",
    list("metadata,graphql,config").pipe(
      z.array(z.enum(["graphql", "metadata", "config"], { error: "only graphql, metadata and config are served" })),
    ),
  ],
  cors: ["HASURA_GRAPHQL_CORS_DOMAIN", origins("*")],
  disableCors: ["HASURA_GRAPHQL_DISABLE_CORS", flag(false)],
  enableAllowList: ["HASURA_GRAPHQL_ENABLE_ALLOWLIST", flag(false)],
  stringifyNumericTypes: ["HASURA_GRAPHQL_STRINGIFY_NUMERIC_TYPES", flag(false)],
  /** Omits an operator with a null value from the condition, as in Hasura v1. */
  collapseNullComparisons: ["HASURA_GRAPHQL_V1_BOOLEAN_NULL_COLLAPSE", flag(false)],
  inferFunctionPermissions: ["HASURA_GRAPHQL_INFER_FUNCTION_PERMISSIONS", flag(true)],
  mutations: ["ENGINE_MUTATIONS", flag(true)],
  /** Hasura's experimental features; most are always on here, or concern features that this engine lacks. */
  experimentalFeatures: [
    "HASURA_GRAPHQL_EXPERIMENTAL_FEATURES",
    list("").pipe(
      z.array(z.enum(experimentalFeatures, { error: `only ${experimentalFeatures.join(", ")} are served` })),
    ),
  ],
  namingConvention: [
    "HASURA_GRAPHQL_DEFAULT_NAMING_CONVENTION",
    z.enum(["hasura-default", "graphql-default"]).default("hasura-default"),
  ],
  /** Shows the internal detail of errors to role admin. */
  adminInternalErrors: ["HASURA_GRAPHQL_ADMIN_INTERNAL_ERRORS", flag(true)],
  /** Shows the internal detail of errors to every role. */
  devMode: ["HASURA_GRAPHQL_DEV_MODE", flag(false)],
  /** Answers a wrong or missing admin secret with 401 on `/v1/graphql` too, instead of 200. */
  preserve401: ["HASURA_GRAPHQL_PRESERVE_401_ERRORS", flag(false)],
  /** Interval between two polls of a live query, in milliseconds. */
  refetchInterval: ["HASURA_GRAPHQL_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL", integer(1_000, 10, 3_600_000)],
  /** Live queries run after notices of changes (push), or only at intervals (poll). */
  liveQueries: ["ENGINE_LIVE_QUERIES", z.enum(["push", "poll"]).default("push")],
  /** Percent of the connections' time for live queries that notices cause. */
  liveQueryBudget: ["ENGINE_LIVE_QUERY_BUDGET", integer(10, 1, 100)],
  /** Address of the primary where the database of the metadata is a hot standby, which sends no notices. */
  primaryDatabaseUrl: ["ENGINE_PRIMARY_DATABASE_URL", databaseUrl.optional()],
  batchSize: ["HASURA_GRAPHQL_LIVE_QUERIES_MULTIPLEXED_BATCH_SIZE", integer(100, 1, 10_000)],
  streamRefetchInterval: [
    "HASURA_GRAPHQL_STREAMING_QUERIES_MULTIPLEXED_REFETCH_INTERVAL",
    integer(1_000, 10, 3_600_000),
  ],
  streamBatchSize: ["HASURA_GRAPHQL_STREAMING_QUERIES_MULTIPLEXED_BATCH_SIZE", integer(100, 1, 10_000)],
  /** In seconds. */
  keepAlive: ["HASURA_GRAPHQL_WEBSOCKET_KEEPALIVE", integer(5, 1, secondsPerDay)],
  /** In seconds. */
  connectionInitTimeout: ["HASURA_GRAPHQL_WEBSOCKET_CONNECTION_INIT_TIMEOUT", integer(3, 1, secondsPerDay)],
  connectionCompression: ["HASURA_GRAPHQL_CONNECTION_COMPRESSION", flag(false)],
  readCookiesOfOtherOrigins: ["HASURA_GRAPHQL_WS_READ_COOKIE", flag(false)],
  logLevel: ["HASURA_GRAPHQL_LOG_LEVEL", z.enum(["debug", "info", "warn", "error"]).default("info")],
  /** Time for running requests to finish at shutdown, in seconds. */
  gracefulShutdownTimeout: ["HASURA_GRAPHQL_GRACEFUL_SHUTDOWN_TIMEOUT", integer(20, 0, secondsPerDay)],
  /** Read at the start; with a metadata database, only when that is empty. */
  metadataDirectory: ["ENGINE_METADATA_DIRECTORY", z.string().optional()],
  /** Address of a Hasura that executes the operations, in place of the embedded engine. */
  upstream: [
    "ENGINE_UPSTREAM",
    z
      .string()
      .regex(/^https?:\/\/[^/?#@]+$/, { error: "must be an address such as http://engine:8080" })
      .optional(),
  ],
  /** Admin secret of that Hasura. Default: the clients' one. */
  upstreamSecret: ["ENGINE_UPSTREAM_SECRET", z.string().optional()],
  /** Location of the metadata for all replicas, in Hasura's form. */
  metadataDatabaseUrl: ["HASURA_GRAPHQL_METADATA_DATABASE_URL", databaseUrl.optional()],
  /** Interval between two checks for a change of the stored metadata, in milliseconds; 0 = never. */
  metadataPollInterval: ["HASURA_GRAPHQL_SCHEMA_SYNC_POLL_INTERVAL", integer(1_000, 0, 3_600_000)],
  /** A subscription that outlives a metadata change could return data that its role may no longer see. */
  closeWebSocketsOnMetadataChange: [
    "HASURA_GRAPHQL_CLOSE_WEBSOCKETS_ON_METADATA_CHANGE",
    flag(true).refine((closes) => closes, { error: "only true is supported" }),
  ],
  /** Names of headers that carry the admin secret, in addition to Hasura's two. */
  adminSecretHeaders: [
    "ENGINE_ADMIN_SECRET_HEADERS",
    list("x-engine-access-key").pipe(z.array(z.string().regex(headerName, { error: "must be header names" }))),
  ],
  /** The only session variables that a request without a token may set; absent = all, as in Hasura. */
  sessionVariables: ["ENGINE_SESSION_VARIABLES", optionalList()],
  /** Accept tokens without iss, aud or exp, as Hasura does. */
  jwtLax: ["ENGINE_JWT_LAX", flag(false)],
  /** Longest accepted time from iat to exp of a token, in seconds; 0 = any time, also for tokens without iat. */
  maxTokenLife: ["ENGINE_MAX_TOKEN_LIFE", integer(secondsPerDay, 0, 365 * secondsPerDay)],
  metricsPort: ["ENGINE_METRICS_PORT", integer(9090, 0, 65_535)],
  /** Collector of traces; absent = none. */
  traceEndpoint: ["TRACE_ENDPOINT", z.string().superRefine(checkedBy(traceSettings.TRACE_ENDPOINT.problem)).optional()],
  tracePercent: [
    "TRACE_PERCENT",
    integer(
      traceSettings.TRACE_PERCENT.default,
      traceSettings.TRACE_PERCENT.minimum,
      traceSettings.TRACE_PERCENT.maximum,
    ),
  ],
  /** Nesting of selection sets; 0 = unlimited. */
  maxDepth: ["ENGINE_MAX_DEPTH", optionalInteger(0, 1_000)],
  /** Fields of one operation; 0 = unlimited. */
  maxBreadth: ["ENGINE_MAX_BREADTH", optionalInteger(0, 1_000_000)],
  /** Limits for the cost of one operation (engine/src/cost/limits.ts); 0 = unlimited. */
  maxTokens: ["ENGINE_MAX_TOKENS", integer(defaultCostLimits.maxTokens, 0, 1_000_000)],
  maxNodes: ["ENGINE_MAX_NODES", integer(defaultCostLimits.maxNodes, 0, 1_000_000)],
  maxListNesting: ["ENGINE_MAX_LIST_NESTING", integer(defaultCostLimits.maxListNesting, 0, 1_000)],
  maxRelations: ["ENGINE_MAX_RELATIONS", integer(defaultCostLimits.maxRelations, 0, 1_000_000)],
  maxConditions: ["ENGINE_MAX_CONDITIONS", integer(defaultCostLimits.maxConditions, 0, 1_000_000)],
  maxIntrospection: ["ENGINE_MAX_INTROSPECTION", integer(defaultCostLimits.maxIntrospection, 0, 1_000_000)],
  /** Maximum size of a request body and of a WebSocket message, in bytes. */
  bodyLimit: ["ENGINE_BODY_LIMIT", integer(262_144, 1_024, 64 * mebibyte)],
  /** Maximum size of one statement's result, and of the replies of a batch, in bytes; 0 = unlimited. */
  maxAnswerBytes: ["ENGINE_MAX_ANSWER_BYTES", integer(16 * mebibyte, 0, 1_024 * mebibyte)],
  /** Maximum number of unsent bytes of all clients together; above it, the client with the most is disconnected. */
  maxWaitingBytes: ["ENGINE_MAX_WAITING_BYTES", integer(64 * mebibyte, mebibyte, 65_536 * mebibyte)],
  batchLimit: ["ENGINE_BATCH_LIMIT", integer(50, 1, 1_000)],
  /** In milliseconds; 0 = never. */
  statementTimeout: ["ENGINE_STATEMENT_TIMEOUT", integer(30_000, 0, 3_600_000)],
  /** Milliseconds by role, as `viewer=10000,tenant=20000`; other roles use `statementTimeout`. */
  statementTimeouts: ["ENGINE_STATEMENT_TIMEOUTS", limitsByName(1, 3_600_000)],
  poolSize: ["ENGINE_POOL_SIZE", optionalInteger(1, 1_000)],
  planCacheSize: ["ENGINE_PLAN_CACHE_SIZE", optionalInteger(1, 1_000_000)],
  /** Maximum number of concurrent operations; further ones get 503. */
  maxInFlight: ["ENGINE_MAX_IN_FLIGHT", integer(256, 1, 100_000)],
  maxConnections: ["ENGINE_MAX_CONNECTIONS", integer(10_000, 1, 1_000_000)],
  maxOperationsPerConnection: ["ENGINE_MAX_OPERATIONS_PER_CONNECTION", integer(100, 1, 10_000)],
  /** Serves the supported and consistent objects of metadata with unknown or inconsistent ones. */
  allowUnsupported: ["ENGINE_ALLOW_UNSUPPORTED", flag(false)],
  allowInconsistent: ["ENGINE_ALLOW_INCONSISTENT", flag(false)],
  /** Time limit in seconds for the database and the token keys to become reachable at the start. */
  startTimeout: ["ENGINE_START_TIMEOUT", integer(60, 1, 3_600)],
} as const satisfies Record<string, readonly [string, z.ZodType]>;

type Definitions = typeof definitions;
export type Settings = { readonly [Key in keyof Definitions]: z.output<Definitions[Key][1]> };

/** Names of Hasura that belong to metadata (`from_env`); the engine reads them there. */
const passedThrough = new Set(["HASURA_GRAPHQL_DATABASE_URL"]);

/** Invalid settings; the message lists every problem. */
export class SettingsError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(
      [`settings: ${String(problems.length)} problem${problems.length === 1 ? "" : "s"}`, ...problems].join("\n  "),
    );
    this.name = "SettingsError";
    this.problems = problems;
  }
}

/** The names of all settings, for the documentation and for programs that start an engine. */
export const settingNames: readonly string[] = Object.values(definitions).map(([name]) => name);

/** @throws SettingsError */
export function readSettings(environment: Environment): Settings {
  const reading = readEnvironment(environment, new Set(settingNames), passedThrough);
  const problems = [...reading.problems];
  const settings: Record<string, unknown> = {};
  for (const [key, [name, schema]] of Object.entries(definitions)) {
    const parsed = (schema as z.ZodType).safeParse(reading.values[name]);
    if (parsed.success) settings[key] = parsed.data;
    else if (!reading.problems.some((problem) => problem.startsWith(name))) {
      problems.push(...new Set(parsed.error.issues.map(({ message }) => `${name}: ${message}`)));
    }
  }
  if (problems.length > 0) throw new SettingsError(problems);
  return settings as unknown as Settings;
}
