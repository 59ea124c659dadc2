import { dockerClient } from "@routeql/host/docker/client";
import { execute } from "@routeql/host/docker/execute";
import { collectOutput } from "./health-detail.ts";
import type { FiringAlert, Problem } from "./report.ts";

/** Milliseconds for the answer of Prometheus. */
const patience = 5_000;

/** Alerts that fire in the stack's own Prometheus; undefined without one, or while it does not answer. */
export async function firingAlerts(stack: string, signal: AbortSignal): Promise<readonly FiringAlert[] | undefined> {
  const docker = dockerClient();
  const [found] = await docker.listContainers({
    filters: { label: [`com.routeql.stack=${stack}`, "com.routeql.service=prometheus"] },
  });
  if (found === undefined) return undefined;
  const [said, errors] = [collectOutput(), collectOutput()];
  try {
    const code = await execute(docker.getContainer(found.Id), alertProgram, {
      output: said.stream,
      errors: errors.stream,
      signal: AbortSignal.any([signal, AbortSignal.timeout(patience)]),
    });
    return code === 0 ? readAlerts(said.text()) : undefined;
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

/** Asks the stack's own Prometheus inside its container, because its port may be on another machine. */
const alertProgram = [
  "promtool",
  "query",
  "-o",
  "json",
  "instant",
  "http://127.0.0.1:9090",
  'ALERTS{alertstate="firing"}',
] as const;

/** The alerts in the answer of {@link alertProgram}; undefined for an answer in another form. */
export function readAlerts(text: string): readonly FiringAlert[] | undefined {
  try {
    const samples = JSON.parse(text) as readonly { readonly metric: Readonly<Record<string, string>> }[];
    const alerts = samples.map(({ metric }) => ({ name: metric["alertname"] ?? "", service: metric["service"] ?? "" }));
    return alerts.toSorted(
      (one, other) => one.name.localeCompare(other.name) || one.service.localeCompare(other.service),
    );
  } catch {
    return undefined;
  }
}

export const alertProblems = (alerts: readonly FiringAlert[]): Problem[] =>
  alerts.map(({ name, service }) => ({
    subject: service === "" ? "alert" : service,
    reason: `the alert ${name} fires`,
    next: `docs/operate/runbooks.md#${name.toLowerCase()}`,
  }));
