import { readdirSync } from "node:fs";

export const isMigrationName = (file: string): boolean => /^\d{4}_[a-z0-9_]{1,80}\.sql$/.test(file);

/** Names of this version's migrations in the order in which they run, as `migrations.schema_migrations` records them. */
export const migrationNames = (): readonly string[] =>
  readdirSync(new URL("../migrations/", import.meta.url))
    .filter((name) => name.endsWith(".sql"))
    .map((name) => name.replace(/\.sql$/, ""))
    .toSorted();
