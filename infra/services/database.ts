import { databaseAddress } from "./database-place.ts";
import type { ServiceDescription } from "./description.ts";

/** Postgres 17. Only the job `migrate` knows the superuser's password. */
export function describeDatabase(): ServiceDescription {
  return {
    name: "database",
    run: "service",
    image: "database",
    // A day of updates is a table with six indexes, and a restore makes all days in one transaction: room for ten years. Default: 64
    command: ["postgres", "-c", "max_locks_per_transaction=512"],
    user: 10_105,
    environment: { POSTGRES_DB: databaseAddress.name, PGDATA: "/var/lib/postgresql/data" },
    secrets: { POSTGRES_PASSWORD_FILE: "bootstrap-password" },
    files: {},
    data: "/var/lib/postgresql/data",
    dataVariable: "PGDATA",
    temporary: { "/tmp": 64, "/run/postgresql": 1, "/dev/shm": 256 },
    ports: [],
    listens: [{ name: "postgres", port: databaseAddress.port }],
    health: { kind: "command", command: ["pg_isready", "--quiet", "--host=127.0.0.1", `--dbname=${databaseAddress.name}`] },
    resources: { memoryMegabytes: 1024, cpuMillicores: 250, processes: 1024 },
    calls: [],
    after: [],
    graceSeconds: 60,
  };
}
