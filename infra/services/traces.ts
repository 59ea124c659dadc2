import type { PlainSettings } from "../settings/list.ts";
import type { ServiceDescription } from "./description.ts";

/** The services of this project that answer requests. Hasura's open edition has no metrics port and exports no traces. */
const exports = ({ name, metricsPort }: ServiceDescription): boolean =>
  (name === "engine" || name === "auth-sidecar") && metricsPort !== undefined;

/** Adds the collector to the services with traces. Without an endpoint the services are unchanged. */
export function withTraces(
  services: readonly ServiceDescription[],
  { traceEndpoint, tracePercent }: Pick<PlainSettings, "traceEndpoint" | "tracePercent">,
): readonly ServiceDescription[] {
  if (traceEndpoint === undefined) return services;
  const environment = { TRACE_ENDPOINT: traceEndpoint, TRACE_PERCENT: String(tracePercent) };
  return services.map((service) => {
    if (!exports(service)) return service;
    return {
      ...service,
      environment: { ...service.environment, ...environment },
      callsOutside: [...(service.callsOutside ?? []), "collector"],
    };
  });
}
