import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";

/** Metrics of the feed, by source. */
export interface FeedMetrics {
  readonly registry: Registry;
  readonly messages: Counter<"source">;
  readonly updates: Counter<"source" | "outcome">;
  readonly dropped: Counter<"source" | "reason">;
  readonly delay: Histogram<"source">;
  readonly active: Gauge<"source">;
  readonly connected: Gauge<"source">;
  readonly gaps: Counter<"source" | "reason">;
  readonly lastMessage: Gauge<"source">;
  readonly coveredUntil: Gauge<"source">;
  readonly bufferBytes: Gauge<"source">;
  readonly bufferFull: Gauge<"source">;
  readonly unfilledGaps: Gauge<"source">;
  readonly failures: Counter<"source">;
  readonly configurationApplied: Gauge;
}

export function createMetrics(): FeedMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const common = <Name extends string>(name: string, help: string, ...labelNames: Name[]) => ({
    name: `feed_${name}`,
    help,
    labelNames: ["source" as const, ...labelNames],
    registers: [registry],
  });
  return {
    registry,
    messages: new Counter(common("messages_total", "Messages of the source.")),
    updates: new Counter(
      common("rows_total", "Rows by outcome: new, known (stored before) or repeated (arrived twice).", "outcome"),
    ),
    dropped: new Counter(common("records_dropped_total", "Records that are no row, by their reason.", "reason")),
    delay: new Histogram({
      ...common("commit_delay_seconds", "Time from the receipt of a transaction's first message to its commit."),
      buckets: [0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 120],
    }),
    active: new Gauge(common("active", "1 while this replica is the feed of the source.")),
    connected: new Gauge(common("connected", "1 while the source delivers.")),
    gaps: new Counter(common("gaps_total", "Gaps that began, by their reason.", "reason")),
    lastMessage: new Gauge(common("last_message_timestamp_seconds", "Time of the last message.")),
    coveredUntil: new Gauge(
      common("covered_until_timestamp_seconds", "All updates until this time are stored or lie in a gap."),
    ),
    bufferBytes: new Gauge(common("buffer_bytes", "Updates that are not stored yet.")),
    bufferFull: new Gauge(common("buffer_full", "1 while the source has to wait for the database.")),
    unfilledGaps: new Gauge(common("unfilled_gaps", "Gaps of the last seven days that no files fill.")),
    failures: new Counter(common("database_failures_total", "Transactions and connections that failed.")),
    configurationApplied: new Gauge({
      name: "feed_configuration_applied",
      help: "1 while the database has the configuration of the file, 0 while the file is wrong or not applied yet.",
      registers: [registry],
    }),
  };
}
