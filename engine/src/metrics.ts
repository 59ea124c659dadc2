import { boundedLabels } from "@routeql/contract/rotated-secret";
import { type UnavailableReason, unavailableReasons } from "@routeql/contract/unavailable";
import type { Server } from "node:http";
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import type { ExecutorStatistics } from "./executor.ts";
import { createServer } from "./node-http.ts";
import { type NoticeFigures, polledKinds } from "./notices/observation.ts";

export type OperationKind = "query" | "mutation" | "subscription" | "unknown";

/** Values read on each Prometheus scrape, so that the hot path does not maintain them. */
export interface MetricSources {
  readonly executor: () => ExecutorStatistics;
  readonly connections: () => number;
  /** Absent when the engine behind the executor keeps its metadata itself. */
  readonly metadata?:
    | (() => { readonly resourceVersion: number; readonly inconsistencies: readonly unknown[] })
    | undefined;
  readonly inFlight: () => number;
  readonly isAnswering: () => Promise<boolean>;
}

export interface Metrics {
  readonly registry: Registry;
  /** Counts one finished operation. `role` is undefined without authentication; `outcome` is `success`, `client-left` or a code. */
  operation(kind: OperationKind, role: string | undefined, outcome: string, seconds: number): void;
  poll(seconds: number): void;
  /** Counts an answer with status 503. */
  unavailable(reason: UnavailableReason): void;
  /** Counts a change that a live query found without a notice. */
  missed(): void;
  /** Counts a request of a client that uses the access key before its last rotation. */
  previousKey(client: string): void;
  observe(sources: MetricSources): void;
}

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Prometheus metrics of one engine. Names start with `routeql_engine_`; process metrics have prom-client's names. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Counter({
    name: "routeql_engine_operations_total",
    help: "GraphQL operations by kind, role and outcome.",
    labelNames: ["operation", "role", "outcome"],
    registers,
  });
  const durations = new Histogram({
    name: "routeql_engine_operation_duration_seconds",
    help: "Time from the parsed request to the answer.",
    labelNames: ["operation"],
    buckets,
    registers,
  });
  const polls = new Histogram({
    name: "routeql_engine_live_query_poll_duration_seconds",
    help: "Time of one multiplexed statement of live queries.",
    buckets,
    registers,
  });
  const missed = new Counter({
    name: "routeql_engine_live_query_missed_notices_total",
    help: "Changes that a live query found although no notice announced them.",
    registers,
  });
  const previousKeys = new Counter({
    name: "routeql_engine_previous_access_key_requests_total",
    help: "Requests with the access key before its last rotation, by the client's address.",
    labelNames: ["client"],
    registers,
  });
  const unavailable = new Counter({
    name: "routeql_engine_unavailable_total",
    help: "Operations that were answered with 503, by reason.",
    labelNames: ["reason"],
    registers,
  });
  // A rate needs the value before the first answer.
  for (const reason of unavailableReasons) unavailable.inc({ reason }, 0);
  const lastUnavailable = new Gauge({
    name: "routeql_engine_unavailable_timestamp_seconds",
    help: "Time of the last answer with 503, by reason.",
    labelNames: ["reason"],
    registers,
  });
  // Label lookup costs more than counting, so children are cached by their labels.
  const counters = new Map<string, Counter.Internal>();
  const histograms = new Map<OperationKind, Histogram.Internal<"operation">>();
  const boundedRole = boundedLabels();
  const boundedOutcome = boundedLabels();
  const boundedClient = boundedLabels();

  return {
    registry,
    operation(kind, role, outcome, seconds) {
      const name = role === undefined ? "" : boundedRole(role);
      const result = boundedOutcome(outcome);
      const key = `${kind} ${result} ${name}`;
      let counter = counters.get(key);
      if (counter === undefined) counters.set(key, (counter = requests.labels(kind, name, result)));
      counter.inc();
      let histogram = histograms.get(kind);
      if (histogram === undefined) histograms.set(kind, (histogram = durations.labels(kind)));
      histogram.observe(seconds);
    },
    poll(seconds) {
      polls.observe(seconds);
    },
    unavailable(reason) {
      unavailable.inc({ reason });
      lastUnavailable.set({ reason }, Date.now() / 1000);
    },
    missed() {
      missed.inc();
    },
    previousKey(client) {
      previousKeys.inc({ client: boundedClient(client) });
    },
    observe(sources) {
      registerSources(sources, registers);
    },
  };
}

function registerSources(sources: MetricSources, registers: Registry[]): void {
  const gauge = (name: string, help: string, read: () => number | Promise<number>): void => {
    const instance: Gauge = new Gauge({
      name: `routeql_engine_${name}`,
      help,
      registers,
      collect: async () => instance.set(await read()),
    });
  };
  gauge("requests_in_flight", "Operations being answered now.", sources.inFlight);
  gauge("executor_up", "1 if the database, or Hasura behind the front, answers.", async () =>
    Number(await sources.isAnswering()),
  );
  gauge("websocket_connections", "Open WebSocket connections.", sources.connections);
  gauge("live_query_cohorts", "Statements of live queries and streams.", () => sources.executor().liveQueries.cohorts);
  gauge(
    "live_query_members",
    "Distinct parameter sets of these statements.",
    () => sources.executor().liveQueries.members,
  );
  gauge("live_query_subscribers", "Subscriptions that are served.", () => sources.executor().liveQueries.subscribers);
  observeNotices(sources, registers);
  gauge("pool_connections", "Open connections to Postgres.", () => sources.executor().pool.total);
  gauge("pool_idle", "Connections to Postgres without work.", () => sources.executor().pool.idle);
  gauge("pool_waiting", "Statements that wait for a connection.", () => sources.executor().pool.waiting);
  const { metadata } = sources;
  if (metadata !== undefined) {
    gauge(
      "metadata_resource_version",
      "Version of the served metadata; the same on all replicas.",
      () => metadata().resourceVersion,
    );
    gauge(
      "metadata_inconsistent_objects",
      "Objects of the metadata that are not served.",
      () => metadata().inconsistencies.length,
    );
  }
  gauge("plan_cache_size", "Finished plans that are remembered.", () => sources.executor().plans.size);
  gauge("plan_cache_hits", "Plans found in the cache since the start.", () => sources.executor().plans.hits);
  gauge("plan_cache_misses", "Plans made since the start.", () => sources.executor().plans.misses);
}

/** Only of the embedded engine. */
function observeNotices({ executor }: MetricSources, registers: Registry[]): void {
  const gauge = (name: string, help: string, read: (figures: NoticeFigures) => number): void => {
    const instance: Gauge = new Gauge({
      name: `routeql_engine_${name}`,
      help,
      registers,
      collect: () => {
        const { notices } = executor();
        if (notices !== undefined) instance.set(read(notices));
      },
    });
  };
  gauge("live_query_listening", "1 if notices of changes arrive from the database.", ({ listening }) =>
    Number(listening),
  );
  gauge("live_query_notices", "Notices of changes since the start.", ({ received }) => received);
  gauge("live_query_pushed", "Statements that run after notices of changes.", ({ noticed }) => noticed);
  const polled: Gauge<"reason"> = new Gauge({
    name: "routeql_engine_live_query_polled",
    help: "Statements that run at intervals, by the reason.",
    labelNames: ["reason"],
    registers,
    collect: () => {
      const { notices } = executor();
      if (notices !== undefined)
        for (const kind of polledKinds) polled.set({ reason: kind }, notices.polled[kind] ?? 0);
    },
  });
  const unnoticed: Gauge<"object"> = new Gauge({
    name: "routeql_engine_live_query_unnoticed_object",
    help: "1 for each table, view and function of running live queries that sends no notices of its changes.",
    labelNames: ["object"],
    registers,
    collect: () => {
      unnoticed.reset();
      for (const object of executor().notices?.unnoticed ?? []) unnoticed.set({ object }, 1);
    },
  });
}

/** `GET /metrics` in Prometheus' text format, on a separate internal port. */
export function createMetricsServer(registry: Registry): Server {
  return createServer({ requestTimeout: 10_000 }, (request, response) => {
    if (request.method !== "GET" || request.url?.split("?", 1)[0] !== "/metrics") {
      response.writeHead(404).end();
      return;
    }
    registry.metrics().then(
      (text) => response.writeHead(200, { "content-type": registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
}
