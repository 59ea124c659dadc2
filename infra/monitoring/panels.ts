/**
 * The figures for operators, defined once. Prometheus' console page and Grafana's dashboards are generated from this list. A test runs
 * every query against a stack under load.
 * @module
 */

export type Unit = "count" | "per second" | "per minute" | "seconds" | "share" | "bytes";

export interface Panel {
  readonly title: string;
  readonly unit: Unit;
  /** PromQL. */
  readonly query: string;
  /** Labels that distinguish the rows. */
  readonly by: readonly string[];
  /** Whether a stack under normal load has no sample, because the figure counts errors. */
  readonly mayBeEmpty?: boolean;
}

export interface Section {
  readonly title: string;
  readonly panels: readonly Panel[];
}

const rateOf = (metric: string, by: string): string => `sum by (${by}) (rate(${metric}[5m]))`;
const quantile = (share: number, histogram: string, by: string): string =>
  `histogram_quantile(${share}, ${rateOf(`${histogram}_bucket`, `le, ${by}`)})`;

const gatewayRequests = "routeql_gateway_requests_total";
const engineOperations = "routeql_engine_operations_total";
const sidecarRequests = 'http_requests_total{job="routeql/auth-sidecar"}';
const sidecarDuration = "http_request_duration_seconds";

/** The same figure of the gateway, the engine and the auth sidecar. */
const ofServices = (gateway: string, engine: string, sidecar: string): string =>
  `${gateway} or ${engine} or ${sidecar}`;
/** Share of failed requests: 0 without a failure, and no sample without a request. */
const failed = (failures: string, all: string): string =>
  `(${rateOf(failures, "service")} or 0 * ${rateOf(all, "service")}) / (${rateOf(all, "service")} > 0)`;
/** The exporter reports processor time and memory of the session store. */
const ofSessions = (query: string): string => `label_replace(sum(${query}), "service", "sessions", "", "")`;

export const sections: readonly Section[] = [
  {
    title: "Overview",
    panels: [
      {
        title: "Alerts that fire",
        unit: "count",
        query: 'sum by (alertname, service) (ALERTS{alertstate="firing"})',
        by: ["alertname", "service"],
        mayBeEmpty: true,
      },
      {
        title: "Services that answer",
        unit: "count",
        query: 'min by (service) (up{job=~"routeql/.+"})',
        by: ["service"],
      },
      {
        title: "Traffic",
        unit: "per second",
        query: ofServices(
          rateOf(gatewayRequests, "service"),
          rateOf(engineOperations, "service"),
          rateOf(sidecarRequests, "service"),
        ),
        by: ["service"],
      },
      {
        title: "Failed requests",
        unit: "share",
        query: ofServices(
          failed(`${gatewayRequests}{status=~"5.."}`, gatewayRequests),
          failed(`${engineOperations}{outcome=~"busy|postgres-.+|timeout|unexpected"}`, engineOperations),
          failed(sidecarRequests.replace("}", ', status=~"5.."}'), sidecarRequests),
        ),
        by: ["service"],
      },
      {
        title: "Time of 95 % of the requests",
        unit: "seconds",
        query: ofServices(
          quantile(0.95, "routeql_gateway_request_duration_seconds", "service"),
          quantile(0.95, "routeql_engine_operation_duration_seconds", "service"),
          `histogram_quantile(0.95, ${rateOf(`${sidecarDuration}_bucket{job="routeql/auth-sidecar"}`, "le, service")})`,
        ),
        by: ["service"],
      },
      {
        title: "Processor time",
        unit: "share",
        query: `sum by (service) (rate(process_cpu_seconds_total{job=~"routeql/.+"}[5m])) or ${ofSessions("rate(redis_cpu_user_seconds_total[5m]) + rate(redis_cpu_sys_seconds_total[5m])")}`,
        by: ["service"],
      },
      {
        title: "Memory",
        unit: "bytes",
        query: `sum by (service) (process_resident_memory_bytes{job=~"routeql/.+"}) or ${ofSessions("redis_memory_used_rss_bytes")}`,
        by: ["service"],
      },
    ],
  },
  {
    title: "Gateway",
    panels: [
      {
        title: "Requests by route and status",
        unit: "per second",
        query: rateOf(gatewayRequests, "route, status"),
        by: ["route", "status"],
      },
      {
        title: "Time of 95 % by route",
        unit: "seconds",
        query: quantile(0.95, "routeql_gateway_request_duration_seconds", "route"),
        by: ["route"],
      },
      {
        title: "TLS handshakes",
        unit: "per second",
        query: `label_replace(label_replace(${rateOf("routeql_gateway_tls_connections_total", "protocol, resumed")}, "handshake", "new", "resumed", "false"), "handshake", "resumed", "resumed", "true")`,
        by: ["protocol", "handshake"],
      },
      {
        title: "Open connections",
        unit: "count",
        query: "sum by (state) (routeql_gateway_connections)",
        by: ["state"],
      },
      {
        title: "Time until the certificate expires",
        unit: "seconds",
        query: "min(routeql_gateway_certificate_expiry_timestamp_seconds) - time()",
        by: [],
      },
    ],
  },
  {
    title: "GraphQL",
    panels: [
      {
        title: "Operations by role and outcome",
        unit: "per second",
        query: rateOf(engineOperations, "role, operation, outcome"),
        by: ["role", "operation", "outcome"],
      },
      {
        title: "Time of 95 % by operation",
        unit: "seconds",
        query: quantile(0.95, "routeql_engine_operation_duration_seconds", "operation"),
        by: ["operation"],
      },
      {
        title: "Time of the slowest 1 %",
        unit: "seconds",
        query: quantile(0.99, "routeql_engine_operation_duration_seconds", "operation"),
        by: ["operation"],
      },
      { title: "Live queries", unit: "count", query: "sum(routeql_engine_live_query_subscribers)", by: [] },
      { title: "WebSocket connections", unit: "count", query: "sum(routeql_engine_websocket_connections)", by: [] },
      {
        title: "Plans found in the cache",
        unit: "share",
        query:
          "sum(routeql_engine_plan_cache_hits) / (sum(routeql_engine_plan_cache_hits) + sum(routeql_engine_plan_cache_misses))",
        by: [],
      },
      {
        title: "Statements that wait for a connection",
        unit: "count",
        query: "sum(routeql_engine_pool_waiting)",
        by: [],
      },
    ],
  },
  {
    title: "Access",
    panels: [
      {
        title: "Logins by outcome",
        unit: "per minute",
        query: `60 * ${rateOf("auth_logins_total", "flow, outcome")}`,
        by: ["flow", "outcome"],
      },
      { title: "Tokens", unit: "per minute", query: `60 * ${rateOf("auth_tokens_total", "flow")}`, by: ["flow"] },
      {
        title: "Rejected by a limit per address",
        unit: "per second",
        query: rateOf("routeql_gateway_limited_requests_total", "limit, route"),
        by: ["limit", "route"],
        mayBeEmpty: true,
      },
      {
        title: "Refused requests",
        unit: "per second",
        query: rateOf(`${gatewayRequests}{status=~"401|403|429"}`, "route, status"),
        by: ["route", "status"],
      },
      { title: "Password hashes that wait", unit: "count", query: "sum(auth_password_hashes_waiting)", by: [] },
      {
        title: "Sessions and counters",
        unit: "count",
        query: 'sum(redis_db_keys{job=~"routeql/.+", db="db0"})',
        by: [],
      },
      {
        title: "Memory of the session store",
        unit: "share",
        query: 'redis_memory_used_bytes{job=~"routeql/.+"} / redis_memory_max_bytes',
        by: [],
      },
    ],
  },
  {
    title: "Data",
    panels: [
      {
        title: "Loaded updates",
        unit: "per minute",
        query: '60 * sum(rate(pg_stat_user_tables_n_tup_ins{schemaname="routing", relname=~"bgp_updates.*"}[5m]))',
        by: [],
      },
      {
        title: "Hijacks recorded by the detection",
        unit: "per minute",
        query: '60 * sum(rate(pg_stat_user_tables_n_tup_ins{schemaname="routing", relname="hijacks"}[5m]))',
        by: [],
      },
      {
        title: "Largest tables",
        unit: "bytes",
        query: "topk(10, sum by (schemaname, relname) (pg_stat_user_tables_size_bytes))",
        by: ["schemaname", "relname"],
      },
      { title: "Size of the database", unit: "bytes", query: 'pg_database_size_bytes{datname="routeql"}', by: [] },
      {
        title: "Connections by role",
        unit: "count",
        query: 'sum by (usename) (pg_stat_activity_count{usename=~"routeql_.+"})',
        by: ["usename"],
      },
      {
        title: "Transactions",
        unit: "per second",
        query: 'sum by (datname) (rate(pg_stat_database_xact_commit{datname="routeql"}[5m]))',
        by: ["datname"],
      },
      {
        title: "Blocks found in the cache",
        unit: "share",
        query:
          'sum(rate(pg_stat_database_blks_hit{datname="routeql"}[5m])) / sum(rate(pg_stat_database_blks_hit{datname="routeql"}[5m]) + rate(pg_stat_database_blks_read{datname="routeql"}[5m]))',
        by: [],
      },
    ],
  },
  {
    title: "Backup",
    panels: [
      {
        title: "Time since the last run",
        unit: "seconds",
        query: "time() - max by (run) (routeql_run_finished_timestamp_seconds)",
        by: ["run"],
      },
      {
        title: "Duration of the last run",
        unit: "seconds",
        query: "max by (run) (routeql_run_duration_seconds)",
        by: ["run"],
      },
      {
        title: "Free space of the disk",
        unit: "bytes",
        query: 'min(node_filesystem_avail_bytes{job="routeql/disk-exporter"})',
        by: [],
      },
      {
        title: "Free share of the disk",
        unit: "share",
        query: 'min(node_filesystem_avail_bytes{job="routeql/disk-exporter"} / node_filesystem_size_bytes)',
        by: [],
      },
    ],
  },
];
