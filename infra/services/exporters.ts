/** Exporters, which serve other services' statistics as metrics, on the image `monitoring`. */
import { databaseAddress } from "./database-place.ts";
import { filesDirectory } from "../description/service.ts";
import type { ServiceDescription } from "../description/service.ts";
import { databaseQueries } from "../monitoring/prometheus-files.ts";

/** Properties of all services of the monitoring. */
export const monitoringService = {
  run: "service",
  image: "monitoring",
  environment: {},
  secrets: {},
  files: {},
  temporary: { "/tmp": 16 },
  ports: [],
  listens: [],
  calls: [],
  after: [],
  graceSeconds: 10,
  joinsMetrics: true,
} as const satisfies Partial<ServiceDescription>;

/** Statistics of Postgres; its role `routeql_monitor` reads one table, the last run of each command. */
export const databaseExporter: ServiceDescription = {
  ...monitoringService,
  name: "database-exporter",
  // The exporter reads settings at each scrape by default, but they change only with a restart.
  command: [
    "prometheus-postgres-exporter",
    "--disable-settings-metrics",
    "--collector.long_running_transactions",
    "--collector.stat_activity_autovacuum",
    "--collector.postmaster",
    `--extend.query-path=${filesDirectory}/queries.yml`,
  ],
  files: { "queries.yml": databaseQueries() },
  user: 10_108,
  environment: {
    DATA_SOURCE_URI: `${databaseAddress.host}:${databaseAddress.port}/${databaseAddress.name}?sslmode=disable&connect_timeout=2`,
    DATA_SOURCE_USER: "routeql_monitor",
  },
  secrets: { DATA_SOURCE_PASS_FILE: "monitor-password" },
  metricsPort: 9187,
  health: { kind: "http", port: 9187, path: "/" },
  resources: { memoryMegabytes: 128, cpuMillicores: 20, processes: 64 },
  calls: ["database"],
  after: ["migrate"],
};

/** Statistics of the session store; its user `monitor` reads no key. */
export const sessionsExporter: ServiceDescription = {
  ...monitoringService,
  name: "sessions-exporter",
  // Without "redis://": with it, the exporter reports each failure as "unknown network redis", and the alerts need the cause.
  command: ["prometheus-redis-exporter", "-redis.addr=sessions:6379", "-config-command=-"],
  user: 10_109,
  // Short, so that a scrape during an outage reports that the store is down before the scrape itself times out.
  environment: { REDIS_USER: "monitor", REDIS_EXPORTER_CONNECTION_TIMEOUT: "2s" },
  secrets: { REDIS_PASSWORD_FILE: "sessions-monitor-login" },
  metricsPort: 9121,
  health: { kind: "http", port: 9121, path: "/health" },
  resources: { memoryMegabytes: 64, cpuMillicores: 20, processes: 64 },
  calls: ["sessions"],
};

/** Free space of the disk with the Docker daemon's volumes, images and logs. On Kubernetes the kubelet reports each volume. */
export const diskExporter: ServiceDescription = {
  ...monitoringService,
  name: "disk-exporter",
  command: [
    "prometheus-node-exporter",
    "--collector.disable-defaults",
    "--collector.filesystem",
    "--collector.filesystem.mount-points-exclude=^/.+",
    // The default excludes overlay, the root of a container.
    "--collector.filesystem.fs-types-exclude=^$",
  ],
  user: 10_112,
  metricsPort: 9100,
  health: { kind: "http", port: 9100, path: "/" },
  resources: { memoryMegabytes: 64, cpuMillicores: 10, processes: 64 },
};
