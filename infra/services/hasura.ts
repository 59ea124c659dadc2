import { readFileSync } from "node:fs";
import { hasFront, isOwnEngine } from "../images.ts";
import { derive, textOf } from "../inputs.ts";
import type { Settings } from "../settings/list.ts";
import { filesDirectory, type ServiceDescription } from "../description/service.ts";
import { accessKeys, eitherEngine, eitherEnvironment, embeddedLimits } from "./embedded-engine.ts";
import { metadataOf, schemaVersion, tokenCheck } from "./metadata-files.ts";

/** Hasura reads secrets only from variables, which users who inspect the container can see: this script exports files. */
const start = (): string => readFileSync(new URL("hasura.sh", import.meta.url), "utf8");

export const graphqlService = (settings: Settings): "front" | "engine" => (hasFront(settings) ? "front" : "engine");

/** Hasura's open edition accepts one key. */
const plainKey = { HASURA_GRAPHQL_ADMIN_SECRET_FILE: "engine-access-key" } as const;

/** Hasura's settings (v2.45 and v2.48 support every name). A default is also set explicitly if another value would change the access. */
function environment(settings: Settings): ServiceDescription["environment"] {
  return {
    ...eitherEnvironment(settings),
    // The front checks the tokens, and only the front and the jobs reach this port.
    ...(hasFront(settings) ? {} : { HASURA_GRAPHQL_JWT_SECRET: tokenCheck(settings) }),
    HASURA_GRAPHQL_ENABLE_CONSOLE: "false",
    HASURA_GRAPHQL_ENABLE_TELEMETRY: "false",
    HASURA_GRAPHQL_DEV_MODE: "false",
    HASURA_GRAPHQL_ADMIN_INTERNAL_ERRORS: "false",
    HASURA_GRAPHQL_ENABLED_LOG_TYPES: "startup,http-log,webhook-log,websocket-log,jwk-refresh-log",
    // As in the embedded engine, metadata may choose the convention of its names.
    HASURA_GRAPHQL_EXPERIMENTAL_FEATURES: "naming_convention",
    // Connections to the metadata database. Those to the data are in the metadata (the job apply-metadata sets them).
    HASURA_GRAPHQL_PG_CONNECTIONS: "5",
    // Maximum delay after apply-metadata until every replica serves the new metadata and restarts its subscriptions.
    HASURA_GRAPHQL_SCHEMA_SYNC_POLL_INTERVAL: "1000",
    HASURA_GRAPHQL_CLOSE_WEBSOCKETS_ON_METADATA_CHANGE: "true",
    HASURA_GRAPHQL_GRACEFUL_SHUTDOWN_TIMEOUT: "20",
  };
}

/**
 * Hasura's default `*` is the first address of getaddrinfo, that of IPv4. `*6` is the one of IPv6, which accepts IPv4 too, and that of IPv4 where
 * there is no IPv6 (streaming-commons, bindPortGenEx).
 */
const hostOf = ({ ipFamilies }: Settings): ServiceDescription["environment"] =>
  ipFamilies === undefined
    ? {}
    : { HASURA_GRAPHQL_SERVER_HOST: derive(ipFamilies, (families) => (families.includes("IPv6") ? "*6" : "*")) };

/** Hasura v2 with the metadata stored by the job apply-metadata. Requests without a token are rejected: they have no role. */
export function describeHasura(settings: Settings): ServiceDescription {
  const own = isOwnEngine(settings);
  return {
    ...eitherEngine,
    entrypoint: ["/bin/sh"],
    command: [`${filesDirectory}/start/hasura.sh`],
    environment: { ...environment(settings), ...(own ? embeddedLimits(settings) : hostOf(settings)) },
    secrets: {
      // The front alone accepts clients' keys. It must reach the Hasura before and after a rotation.
      ...(hasFront(settings)
        ? { HASURA_GRAPHQL_ADMIN_SECRET_FILE: "engine-upstream-key" }
        : own
          ? accessKeys
          : plainKey),
      HASURA_GRAPHQL_METADATA_DATABASE_URL_FILE: "metadata-database-url",
      ROUTEQL_DATABASE_URL_FILE: "engine-database-url",
    },
    files: { "start/hasura.sh": start() },
    ...(own ? { metricsPort: 9090 } : {}),
    resources: own
      ? { memoryMegabytes: 512, cpuMillicores: 250, processes: 512 }
      : { memoryMegabytes: 2048, cpuMillicores: 250, processes: 512 },
    calls: hasFront(settings) ? ["database"] : ["database", "auth-sidecar"],
    after: ["apply-metadata"],
  };
}

/** Applies hasura-metadata/ by the engine's own program on a loopback address, without the master key and the token issuer. */
export function describeApplyMetadata(settings: Settings): ServiceDescription {
  const metadata = metadataOf(settings);
  return {
    name: "apply-metadata",
    run: "job",
    image: "apply-metadata",
    entrypoint: ["node"],
    command: ["/routeql/engine/apply-metadata/main.ts"],
    user: 10_107,
    environment: {
      METADATA_DIRECTORY: metadata.path,
      POOL_SIZE: textOf(settings.enginePoolSize),
      SCHEMA_VERSION: schemaVersion(settings),
    },
    secrets: {
      METADATA_DATABASE_URL_FILE: "metadata-database-url",
      // The metadata may refer to tables of a migration that a replica has not replayed yet.
      ROUTEQL_DATABASE_URL_FILE: "engine-primary-database-url",
    },
    files: metadata.files,
    temporary: { "/tmp": 64 },
    ports: [],
    listens: [],
    resources: { memoryMegabytes: 1536, cpuMillicores: 250, processes: 256 },
    calls: ["database"],
    after: ["migrate"],
    graceSeconds: 30,
  };
}
