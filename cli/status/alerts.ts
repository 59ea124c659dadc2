import type { FiringAlert, Problem } from "./report.ts";

/** Asks the stack's own Prometheus inside its container, because its port may be on another machine. */
export const alertProgram = [
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
