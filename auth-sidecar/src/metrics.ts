import { createServer, type Server } from "node:http";
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import { type UnavailableReason, unavailableReasons } from "@routeql/contract/unavailable";
import { SidecarError } from "./errors.ts";

export interface Metrics {
  readonly registry: Registry;
  readonly requests: Counter<"method" | "route" | "status">;
  readonly seconds: Histogram<"method" | "route">;
  readonly tokens: Counter<"flow">;
  readonly logins: Counter<"flow" | "outcome">;
  readonly previousKeys: Counter<"client">;
  /** Counts an answer with status 503. */
  unavailable(reason: UnavailableReason): void;
  /** Adds a gauge that reads its value on demand. */
  gauge(name: string, help: string, value: () => number): void;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const unavailable = new Counter({
    name: "auth_unavailable_total",
    help: "Requests that were answered with 503, by reason.",
    labelNames: ["reason"],
    registers,
  });
  // A rate needs the value before the first answer.
  for (const reason of unavailableReasons) unavailable.inc({ reason }, 0);
  const lastUnavailable = new Gauge({
    name: "auth_unavailable_timestamp_seconds",
    help: "Time of the last answer with 503, by reason.",
    labelNames: ["reason"],
    registers,
  });
  return {
    registry,
    requests: new Counter({
      name: "http_requests_total",
      help: "Answered requests.",
      labelNames: ["method", "route", "status"],
      registers,
    }),
    seconds: new Histogram({
      name: "http_request_duration_seconds",
      help: "Time from the request's head to the end of the answer.",
      labelNames: ["method", "route"],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
      registers,
    }),
    tokens: new Counter({ name: "auth_tokens_total", help: "Issued access tokens.", labelNames: ["flow"], registers }),
    logins: new Counter({
      name: "auth_logins_total",
      help: "Logins by outcome, an error code or success.",
      labelNames: ["flow", "outcome"],
      registers,
    }),
    previousKeys: new Counter({
      name: "auth_previous_service_key_requests_total",
      help: "Requests with the service key before its last rotation, by the client's address.",
      labelNames: ["client"],
      registers,
    }),
    unavailable(reason) {
      unavailable.inc({ reason });
      lastUnavailable.set({ reason }, Date.now() / 1000);
    },
    gauge(name, help, value) {
      registry.registerMetric(
        new Gauge({
          name,
          help,
          registers: [],
          collect() {
            this.set(value());
          },
        }),
      );
    },
  };
}

/** Counts a login by its outcome: `success`, the code of the error, or `internal`. */
export async function measuredLogin<Result>(
  metrics: Metrics,
  flow: string,
  login: () => Promise<Result>,
): Promise<Result> {
  let outcome = "internal";
  try {
    const result = await login();
    outcome = "success";
    return result;
  } catch (error) {
    if (error instanceof SidecarError) outcome = error.code;
    throw error;
  } finally {
    metrics.logins.inc({ flow, outcome });
  }
}

/** GET /metrics in Prometheus' text format, on a separate port. */
export function createMetricsServer(registry: Registry): Server {
  return createServer((request, response) => {
    if (request.url !== "/metrics" || request.method !== "GET") {
      response.writeHead(404).end();
      return;
    }
    registry.metrics().then(
      (text) => response.writeHead(200, { "content-type": registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
}
