import type { Attributes, Span } from "./span.ts";

/** Headers and id of a request, from which its trace follows. */
export interface TraceOrigin {
  /** The header `traceparent`. */
  readonly traceparent: string | readonly string[] | undefined;
  readonly requestId: string;
}

export interface Tracing {
  /**
   * The server span of a request; undefined when the request is not traced. The trace is that of the log lines: the caller's, or without
   * one the request id where it has the form of a trace id.
   */
  start(name: string, origin: TraceOrigin, attributes: Attributes): Span | undefined;
  /** Exports the remaining spans; takes two seconds at most. */
  stop(): Promise<void>;
}

export type TracingEvent =
  /** Spans are lost. Reported at most once in ten minutes. */
  { readonly type: "failed"; readonly reason: string } | { readonly type: "recovered" };

export interface TracingOptions {
  /** Name of the service in its spans. */
  readonly service: string;
  readonly version: string;
  /** Address of the collector; undefined = no request is traced. */
  readonly endpoint: string | undefined;
  /** Percentage of requests without `traceparent` that are traced. */
  readonly percent: number;
  readonly onEvent: (event: TracingEvent) => void;
  /** Milliseconds between two exports; default 5,000. */
  readonly interval?: number | undefined;
}

/** Starts the export of spans. Without an endpoint no module of the OpenTelemetry SDK is loaded. */
export async function startTracing(options: TracingOptions): Promise<Tracing | undefined> {
  const { endpoint } = options;
  if (endpoint === undefined) return undefined;
  const { OpenTelemetry } = await import("./open-telemetry.ts");
  return new OpenTelemetry({ ...options, endpoint });
}
