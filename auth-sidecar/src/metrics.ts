import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

export interface Metrics {
  readonly registry: Registry;
  readonly requests: Counter<"method" | "route" | "status">;
  readonly seconds: Histogram<"method" | "route">;
  readonly tokens: Counter<"flow">;
  readonly logins: Counter<"flow" | "outcome">;
  /** Adds a gauge that reads its value on demand. */
  gauge(name: string, help: string, value: () => number): void;
}

/** All metrics of the process, in a separate registry. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
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
