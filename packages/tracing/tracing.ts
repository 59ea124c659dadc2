import type { Tracing, TracingOptions } from "./span.ts";

/** Starts the export of spans. Without an endpoint no module of the OpenTelemetry SDK is loaded. */
export async function startTracing(options: TracingOptions): Promise<Tracing | undefined> {
  const { endpoint } = options;
  if (endpoint === undefined) return undefined;
  const { OpenTelemetry } = await import("./open-telemetry.ts");
  return new OpenTelemetry({ ...options, endpoint });
}
