import { roles } from "@routeql/database/migrate/roles";
import type { PlainSettings } from "../settings/list.ts";
import { databaseAddress } from "./database-place.ts";
import type { ServiceDescription } from "./description.ts";

/** Connections in addition to those of the roles: superusers and administration. */
const otherConnections = 18;

/** Of the part's memory, and what one of its processes may take of it: a statement alone cannot bring the server down. Detection's sorts need 400. */
const memoryMegabytes = 1024;
const processMegabytes = 640;

/** Server settings that differ from Postgres' defaults, for every kind of database. */
export function serverParameters({ target }: Pick<PlainSettings, "target">): Readonly<Record<string, string>> {
  const ofRoles = Object.values(roles).reduce((sum, { connectionLimit }) => sum + connectionLimit, 0);
  return {
    // A day of updates is a table with six indexes, and a restore makes all days in one transaction: room for ten years. Default: 64
    max_locks_per_transaction: "512",
    // A large load changes index pages in many places. After each checkpoint Postgres logs each changed page as a whole. Default: 1GB
    max_wal_size: "4GB",
    // On a cluster parts have replicas, which together may have what their roles allow; a host has one of each. Default: 100
    ...(target === "kubernetes" ? { max_connections: String(ofRoles + otherConnections) } : {}),
  };
}

const isReady = ["pg_isready", "--quiet", "--host=127.0.0.1", `--dbname=${databaseAddress.name}`];

/** Postgres 17. Only the job `migrate` knows the superuser's password. */
export function describeDatabase(settings: Pick<PlainSettings, "target">): ServiceDescription {
  return {
    name: "database",
    run: "service",
    image: "database",
    command: ["postgres", ...Object.entries(serverParameters(settings)).flatMap(([name, value]) => ["-c", `${name}=${value}`])],
    user: 10_105,
    environment: {
      POSTGRES_DB: databaseAddress.name,
      PGDATA: "/var/lib/postgresql/data",
      // The entry point (images/database/entrypoint.sh) heeds it, in the official image too.
      POSTGRES_PROCESS_MEGABYTES: String(processMegabytes),
    },
    secrets: { POSTGRES_PASSWORD_FILE: "bootstrap-password" },
    files: {},
    data: "/var/lib/postgresql/data",
    dataVariable: "PGDATA",
    temporary: { "/tmp": 64, "/run/postgresql": 1, "/dev/shm": 256 },
    ports: [],
    listens: [{ name: "postgres", port: databaseAddress.port }],
    health: { kind: "command", command: isReady },
    // A server that turns everybody away (1) is recovering from a crash, say: a restart would only let it begin again.
    alive: { kind: "command", command: ["sh", "-c", `${isReady.join(" ")} || [ $? = 1 ]`] },
    resources: { memoryMegabytes, cpuMillicores: 250, processes: 1024 },
    calls: [],
    after: [],
    graceSeconds: 60,
  };
}
