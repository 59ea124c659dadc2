import { Failure } from "@routeql/host/failure";
import type { Execute } from "@routeql/host/program-streams";
import { filesDirectory } from "@routeql/infra/description/service";
import { clientFile } from "@routeql/infra/services/monitoring";
import { collectOutput } from "./health-detail.ts";
import type { Deliveries, FiringAlert, Problem } from "./report.ts";

/** The output of a program. @throws Failure with its errors */
export async function outputOf(execute: Execute, program: readonly string[], signal: AbortSignal): Promise<string> {
  const [said, errors] = [collectOutput(), collectOutput()];
  const code = await execute(program, { output: said.stream, errors: errors.stream, signal });
  if (code !== 0) throw new Failure(`${program[0]} failed: ${said.text()}${errors.text()}`.trim());
  return said.text();
}

/** Notifications of Alertmanager, its requests with an answer, and failed requests, from the text of its metrics; of one receiver, or of all. */
export function countNotifications(metrics: string, receiver?: string): Deliveries {
  const label = receiver === undefined ? "" : `receiver_name="${receiver}"`;
  const sum = (name: string, only = label): number =>
    [...metrics.matchAll(new RegExp(`^${name}\\{(.*)\\} (\\S+)$`, "gm"))]
      .filter(([, labels]) => labels!.includes(only))
      .reduce((all, [, , n]) => all + Number(n), 0);
  return {
    sent: sum("alertmanager_notifications_total"),
    answered: sum("alertmanager_notification_requests_total"),
    failed: sum("alertmanager_notification_requests_failed_total"),
    silences: sum("alertmanager_silences", 'state="active"'),
  };
}

export const deliveryProgram = ["monitoring-get", "9093", "/metrics"];

/** Options by which a program in the container of Prometheus or Alertmanager logs in. */
export const loginOption = `--http.config.file=${filesDirectory}/${clientFile}`;

/** Asks the stack's own Prometheus inside its container, because its port may be on another machine. */
export const alertProgram = [
  "promtool",
  "query",
  "-o",
  "json",
  loginOption,
  "instant",
  "http://127.0.0.1:9090",
  'ALERTS{alertstate="firing", alertname!="Watchdog"}',
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
