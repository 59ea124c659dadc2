/** The engine's APIs and limits: sections of the list in list.ts. */
import { roles } from "@routeql/database/migrate/roles";
import { numbersByRole, oneOf, range } from "../values/checks.ts";
import { ownMetadata, ownMigrations } from "../values/own-metadata.ts";
import { file, flag, number, text } from "../values/setting.ts";

export const ownDefinitions = {
  metadata: file({
    argument: "metadata",
    environment: "METADATA",
    structural: true,
    meaning: "Folder with Hasura metadata of your own, which joins that of RouteQL.",
    ...ownMetadata,
  }),
  migrations: file({
    argument: "migrations",
    environment: "MIGRATIONS",
    structural: true,
    meaning: "Folder with SQL migrations of your own, applied after those of RouteQL.",
    ...ownMigrations,
  }),
} as const;

export const engineApis = {
  engineMutations: flag({
    argument: "engine.mutations",
    environment: "ENGINE_MUTATIONS",
    default: true,
    meaning: "Serve the mutations that permissions allow.",
  }),
  engineLiveQueries: text({
    argument: "engine.liveQueries",
    environment: "ENGINE_LIVE_QUERIES",
    default: "push",
    meaning: "Embedded engine: live queries run after notices of changes (`push`), or only at intervals (`poll`).",
    ...oneOf("push", "poll"),
  }),
  engineLiveQueryBudget: number({
    argument: "engine.liveQueryBudget",
    environment: "ENGINE_LIVE_QUERY_BUDGET",
    default: 10,
    meaning: "Embedded engine: percent of its connections' time for live queries that notices cause.",
    ...range(1, 100),
  }),
  engineConsole: flag({
    argument: "engine.console",
    environment: "ENGINE_CONSOLE",
    structural: true,
    default: false,
    defaultIn: { local: true },
    meaning: "Serve the console at `/` of the console port.",
  }),
  engineMetadataApi: flag({
    argument: "engine.metadataApi",
    environment: "ENGINE_METADATA_API",
    structural: true,
    default: false,
    meaning: "Open the metadata and SQL APIs at the console port, for Hasura's command line.",
  }),
} as const;

export const queryLimits = {
  queryDepth: number({
    argument: "engine.queryDepth",
    environment: "QUERY_DEPTH",
    default: 10,
    meaning: "Maximum depth of a GraphQL operation.",
    ...range(1, 100),
  }),
  queryBreadth: number({
    argument: "engine.queryBreadth",
    environment: "QUERY_BREADTH",
    default: 500,
    meaning: "Maximum number of fields of a GraphQL operation.",
    ...range(1, 10_000),
  }),
  statementTimeoutSeconds: number({
    argument: "engine.statementTimeoutSeconds",
    environment: "STATEMENT_TIMEOUT_SECONDS",
    default: 30,
    meaning: "Time limit of a statement.",
    ...range(1, 3600),
  }),
  statementTimeoutSecondsByRole: text({
    argument: "engine.statementTimeoutSecondsByRole",
    environment: "STATEMENT_TIMEOUT_SECONDS_BY_ROLE",
    default: "viewer=10",
    meaning: "Embedded engine: shorter time limits for some roles.",
    ...numbersByRole(1, 3600),
  }),
  enginePoolSize: number({
    argument: "engine.poolSize",
    environment: "ENGINE_POOL_SIZE",
    default: 10,
    meaning: "Maximum connections of one engine to Postgres.",
    // One more connection listens for changes.
    ...range(1, roles.engine.connectionLimit - 1),
  }),
} as const;
