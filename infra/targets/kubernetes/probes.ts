import type { types } from "@pulumi/kubernetes";
import type { HealthCheck, ServiceDescription } from "../../services/description.ts";

type Probe = types.input.core.v1.Probe;
type Probes = Pick<types.input.core.v1.Container, "startupProbe" | "readinessProbe" | "livenessProbe">;

/** Seconds until a service must answer for the first time. */
export const startWithin = 300;
/** The same for a service that may first read or repair its data. */
const startWithinWithData = 1800;

function action(check: HealthCheck): Pick<Probe, "httpGet" | "exec"> {
  return check.kind === "http"
    ? { httpGet: { path: check.path, port: check.port } }
    : { exec: { command: [...check.command] } };
}

/**
 * Startup, readiness and liveness from one health description. Readiness stops requests while the service or its
 * dependencies are down. Liveness restarts the service; it checks the service only and waits longer.
 */
export function probesOf({ health, alive = health, data }: ServiceDescription): Probes {
  if (health === undefined || alive === undefined) return {};
  const within = data === undefined ? startWithin : startWithinWithData;
  return {
    startupProbe: { ...action(health), periodSeconds: 2, timeoutSeconds: 5, failureThreshold: within / 2 },
    readinessProbe: { ...action(health), periodSeconds: 5, timeoutSeconds: 5, failureThreshold: 2 },
    livenessProbe: { ...action(alive), periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 6 },
  };
}
