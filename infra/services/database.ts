import type { Input } from "@pulumi/pulumi";
import { roles } from "@routeql/database/migrate/roles";
import { mostHeavy } from "@routeql/contract/most-heavy";
import { derive } from "../inputs.ts";
import type { Settings } from "../settings/list.ts";
import { databaseAddress } from "./database-place.ts";
import type { ServiceDescription } from "../description/service.ts";

/** Connections in addition to those of the roles: superusers and administration. */
const otherConnections = 18;

/** User id of the image `database`: images/database/Dockerfile. */
export const databaseUser = 10_105;

/** Limit of one process: a single statement cannot crash the server. Detection's sorts need 400 MiB. */
const processMegabytes = 640;

/** Shared buffers, processes in the background, and statements that are not heavy. */
const otherMegabytes = 768;

/** Memory of the service: a quarter of the engine's connections may reach the limit of their process (`mostHeavy` in the engine). */
const memoryMegabytes = ({ enginePoolSize }: Pick<Settings, "enginePoolSize">): Input<number> =>
  derive(enginePoolSize, (connections) => otherMegabytes + mostHeavy(connections) * processMegabytes);

/** Server settings that differ from Postgres' defaults, for every kind of database. */
export function serverParameters({ target }: Pick<Settings, "target">): Readonly<Record<string, string>> {
  const ofRoles = Object.values(roles).reduce((sum, { connectionLimit }) => sum + connectionLimit, 0);
  return {
    // Each day of updates is a table with six indexes, and a restore creates all days in one transaction. Room for ten years. Default:
    // 64
    max_locks_per_transaction: "512",
    // A large load changes index pages in many places. Postgres logs each page in full on its first change after a checkpoint. Default:
    // 1GB
    max_wal_size: "4GB",
    // On a cluster the services have replicas, which together may use their roles' limits; a Docker host has one of each. Default: 100
    ...(target === "kubernetes" ? { max_connections: String(ofRoles + otherConnections) } : {}),
  };
}

const isReady = ["pg_isready", "--quiet", "--host=127.0.0.1", `--dbname=${databaseAddress.name}`];

/** Postgres 17. Only the job `migrate` knows the superuser's password. */
export function describeDatabase(settings: Pick<Settings, "target" | "enginePoolSize">): ServiceDescription {
  return {
    name: "database",
    run: "service",
    image: "database",
    command: [
      "postgres",
      ...Object.entries(serverParameters(settings)).flatMap(([name, value]) => ["-c", `${name}=${value}`]),
    ],
    user: databaseUser,
    environment: {
      POSTGRES_DB: databaseAddress.name,
      PGDATA: "/var/lib/postgresql/data",
      // images/database/entrypoint.sh applies it, also with the official image.
      POSTGRES_PROCESS_MEGABYTES: String(processMegabytes),
    },
    secrets: { POSTGRES_PASSWORD_FILE: "bootstrap-password" },
    files: {},
    // Read when the database is created; the migrate job changes it.
    liveFiles: ["secrets/bootstrap-password"],
    data: "/var/lib/postgresql/data",
    dataVariable: "PGDATA",
    temporary: { "/tmp": 64, "/run/postgresql": 1, "/dev/shm": 256 },
    ports: [],
    listens: [{ name: "postgres", port: databaseAddress.port }],
    health: { kind: "command", command: isReady },
    // A server that rejects all connections (exit code 1) may be recovering from a crash. A restart would only restart the recovery.
    alive: { kind: "command", command: ["sh", "-c", `${isReady.join(" ")} || [ $? = 1 ]`] },
    resources: { memoryMegabytes: memoryMegabytes(settings), cpuMillicores: 250, processes: 1024 },
    calls: [],
    after: [],
    graceSeconds: 60,
  };
}
