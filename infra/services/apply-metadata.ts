import { resolve } from "node:path";
import { contentHash } from "@routeql/host/images/content-hash";
import { contextFiles } from "@routeql/host/images/context-files";
import type { PlainSettings } from "../settings/list.ts";
import type { ServiceDescription } from "./description.ts";
import { metadataDirectory, metadataFiles } from "./metadata-files.ts";

const root = resolve(import.meta.dirname, "../..");

/** Another schema may need the same metadata to be looked at again, so the job's content names it. */
const schemaVersion = (): string =>
  contentHash({ texts: {}, files: contextFiles(root, ["database/migrations", "database/migrate/grants.sql"]) }).slice(0, 12);

/**
 * Puts hasura-metadata/ where the engine reads it. Starts the engine's own program on a loopback address for that; knows neither
 * the master key nor the token issuer.
 */
export function describeApplyMetadata(settings: PlainSettings): ServiceDescription {
  return {
    name: "apply-metadata",
    run: "job",
    image: "apply-metadata",
    entrypoint: ["node"],
    command: ["/routeql/engine/apply-metadata/main.ts"],
    user: 10_107,
    environment: {
      METADATA_DIRECTORY: metadataDirectory,
      POOL_SIZE: String(settings.enginePoolSize),
      SCHEMA_VERSION: schemaVersion(),
    },
    secrets: {
      METADATA_DATABASE_URL_FILE: "metadata-database-url",
      // A copy may not have the migration yet that the metadata speak of.
      ROUTEQL_DATABASE_URL_FILE: "engine-primary-database-url",
    },
    files: metadataFiles(),
    temporary: { "/tmp": 64 },
    ports: [],
    listens: [],
    resources: { memoryMegabytes: 1536, cpuMillicores: 500, processes: 256 },
    calls: ["database"],
    after: ["migrate"],
    graceSeconds: 30,
  };
}
