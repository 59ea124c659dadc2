import { resolve } from "node:path";
import { contentHash } from "@routeql/host/images/content-hash";
import { contextFiles } from "@routeql/host/images/context-files";
import type { PlainSettings } from "../settings/list.ts";
import type { ServiceDescription } from "./description.ts";
import { metadataDirectory, metadataFiles } from "./metadata-files.ts";

const root = resolve(import.meta.dirname, "../..");

/** Version of the schema. After a change of the schema the job must validate the same metadata again, so its content includes this. */
const schemaVersion = (): string =>
  contentHash({ texts: {}, files: contextFiles(root, ["database/migrations", "database/migrate/grants.sql"]) }).slice(
    0,
    12,
  );

/**
 * Applies hasura-metadata/ to the engine's metadata database. The job runs the engine's own program on a loopback address, without the
 * master key and the token issuer.
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
      // The metadata may refer to tables of a migration that a replica has not replayed yet.
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
