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

const engineLatency = "sum by (le, operation) (rate(routeql_engine_operation_duration_seconds_bucket[5m]))";
const gatewayLatency = "sum by (le, route) (rate(routeql_gateway_request_duration_seconds_bucket[5m]))";

export const sections: readonly Section[] = [
  {
    title: "Overview",
    panels: [
      { title: "Alerts that fire", unit: "count", query: 'sum by (alertname, service) (ALERTS{alertstate="firing"})', by: ["alertname", "service"], mayBeEmpty: true },
      { title: "Services that answer", unit: "count", query: 'min by (service) (up{job=~"routeql/.+"})', by: ["service"] },
      { title: "Processor time", unit: "share", query: 'sum by (service) (rate(process_cpu_seconds_total{job=~"routeql/.+"}[5m]))', by: ["service"] },
      { title: "Memory", unit: "bytes", query: 'sum by (service) (process_resident_memory_bytes{job=~"routeql/.+"})', by: ["service"] },
    ],
  },
  {
    title: "Requests",
    panels: [
      { title: "Requests by route and status", unit: "per second", query: "sum by (route, status) (rate(routeql_gateway_requests_total[5m]))", by: ["route", "status"] },
      { title: "Time of 95 % of the requests", unit: "seconds", query: `histogram_quantile(0.95, ${gatewayLatency})`, by: ["route"] },
      { title: "Rejected by a limit per address", unit: "per second", query: "sum by (limit, route) (rate(routeql_gateway_limited_requests_total[5m]))", by: ["limit", "route"], mayBeEmpty: true },
      { title: "TLS connections", unit: "per second", query: "sum by (protocol, resumed) (rate(routeql_gateway_tls_connections_total[5m]))", by: ["protocol", "resumed"] },
      { title: "Open connections", unit: "count", query: "sum by (state) (routeql_gateway_connections)", by: ["state"] },
      { title: "Time until the certificate expires", unit: "seconds", query: "min(routeql_gateway_certificate_expiry_timestamp_seconds) - time()", by: [] },
    ],
  },
  {
    title: "GraphQL",
    panels: [
      { title: "Operations by role and outcome", unit: "per second", query: "sum by (role, operation, outcome) (rate(routeql_engine_operations_total[5m]))", by: ["role", "operation", "outcome"] },
      { title: "Time of 95 % of the operations", unit: "seconds", query: `histogram_quantile(0.95, ${engineLatency})`, by: ["operation"] },
      { title: "Live queries", unit: "count", query: "sum(routeql_engine_live_query_subscribers)", by: [] },
      { title: "WebSocket connections", unit: "count", query: "sum(routeql_engine_websocket_connections)", by: [] },
      { title: "Plans found in the cache", unit: "share", query: "sum(routeql_engine_plan_cache_hits) / (sum(routeql_engine_plan_cache_hits) + sum(routeql_engine_plan_cache_misses))", by: [] },
      { title: "Statements that wait for a connection", unit: "count", query: "sum(routeql_engine_pool_waiting)", by: [] },
    ],
  },
  {
    title: "Access",
    panels: [
      { title: "Logins by outcome", unit: "per minute", query: "60 * sum by (flow, outcome) (rate(auth_logins_total[5m]))", by: ["flow", "outcome"] },
      { title: "Tokens", unit: "per minute", query: "60 * sum by (flow) (rate(auth_tokens_total[5m]))", by: ["flow"] },
      { title: "Answers of the auth sidecar", unit: "per second", query: 'sum by (route, status) (rate(http_requests_total{job="routeql/auth-sidecar"}[5m]))', by: ["route", "status"] },
      { title: "Password hashes that wait", unit: "count", query: "sum(auth_password_hashes_waiting)", by: [] },
      { title: "Sessions and counters", unit: "count", query: 'sum(redis_db_keys{job=~"routeql/.+", db="db0"})', by: [] },
      { title: "Memory of the session store", unit: "share", query: 'redis_memory_used_bytes{job=~"routeql/.+"} / redis_memory_max_bytes', by: [] },
    ],
  },
  {
    title: "Data",
    panels: [
      { title: "Inserted rows", unit: "per minute", query: '60 * sum by (schemaname) (rate(pg_stat_user_tables_n_tup_ins{schemaname=~"routing|auth"}[5m]))', by: ["schemaname"] },
      { title: "Connections by role", unit: "count", query: 'sum by (usename) (pg_stat_activity_count{usename=~"routeql_.+"})', by: ["usename"] },
      { title: "Size of the database", unit: "bytes", query: 'pg_database_size_bytes{datname="routeql"}', by: [] },
      { title: "Largest tables", unit: "bytes", query: "topk(10, sum by (schemaname, relname) (pg_stat_user_tables_size_bytes))", by: ["schemaname", "relname"] },
      { title: "Transactions", unit: "per second", query: 'sum by (datname) (rate(pg_stat_database_xact_commit{datname="routeql"}[5m]))', by: ["datname"] },
      { title: "Blocks found in the cache", unit: "share", query: 'sum(rate(pg_stat_database_blks_hit{datname="routeql"}[5m])) / sum(rate(pg_stat_database_blks_hit{datname="routeql"}[5m]) + rate(pg_stat_database_blks_read{datname="routeql"}[5m]))', by: [] },
    ],
  },
];
