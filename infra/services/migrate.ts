import type { Settings } from "../settings/list.ts";
import { databaseAddress, hasSecondLogins } from "./database-place.ts";
import type { ServiceDescription } from "../description/service.ts";
import { hasFeed } from "./feed.ts";
import { ownFilesOf } from "./metadata-files.ts";

/** Creates roles, schema and first administrator. Runs again when a SQL file of the image or the operator, or a password, changes. */
export function describeMigrate({
  database,
  databasePasswordsGeneration,
  monitoring,
  feed,
  adminEmail,
  metadata,
  migrations,
}: Pick<
  Settings,
  "database" | "databasePasswordsGeneration" | "monitoring" | "feed" | "adminEmail" | "metadata" | "migrations"
>): ServiceDescription {
  const ownDatabase = database === "single";
  const own = ownFilesOf({ metadata, migrations });
  return {
    name: "migrate",
    run: "job",
    image: "database-tools",
    command: ["node", "database/migrate/main.ts"],
    user: 10_106,
    environment: {
      ...(ownDatabase
        ? {
            DATABASE_HOST: databaseAddress.host,
            DATABASE_PORT: String(databaseAddress.port),
            DATABASE_NAME: databaseAddress.name,
          }
        : {}),
      ADMIN_EMAIL: adminEmail,
      ...(hasSecondLogins({ database, databasePasswordsGeneration }) ? { SECOND_LOGINS: "true" } : {}),
      ...own.environment,
    },
    secrets: {
      ...(ownDatabase
        ? { BOOTSTRAP_PASSWORD_FILE: "bootstrap-password" }
        : { BOOTSTRAP_URL_FILE: "bootstrap-database-url" }),
      ...(database === "external" ? {} : { PREVIOUS_BOOTSTRAP_PASSWORD_FILE: "previous-bootstrap-password" }),
      OWNER_PASSWORD_FILE: "owner-password",
      ENGINE_PASSWORD_FILE: "engine-password",
      SIDECAR_PASSWORD_FILE: "sidecar-password",
      LOADER_PASSWORD_FILE: "loader-password",
      BACKUP_PASSWORD_FILE: "backup-password",
      METADATA_PASSWORD_FILE: "metadata-password",
      ...(monitoring !== "off" && ownDatabase ? { MONITOR_PASSWORD_FILE: "monitor-password" } : {}),
      ...(hasFeed({ feed }) ? { FEED_PASSWORD_FILE: "feed-password" } : {}),
      // Only this job has it: a running service needs it no more.
      ADMIN_PASSWORD_FILE: "admin-password",
    },
    files: own.files,
    temporary: { "/tmp": 16 },
    ports: [],
    listens: [],
    resources: { memoryMegabytes: 256, cpuMillicores: 50, processes: 256 },
    calls: ["database"],
    after: [],
    graceSeconds: 30,
  };
}
