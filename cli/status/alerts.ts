import { dockerClient } from "@routeql/host/docker/client";
import { execute } from "@routeql/host/docker/execute";
import { collectOutput } from "./health-detail.ts";
import type { Deliveries, FiringAlert, Problem } from "./report.ts";

/** Milliseconds for the answer of Prometheus. */
const patience = 5_000;

/** Output of a program in the stack's container of a service; undefined without the container, or when the program fails. */
async function outputIn(
  stack: string,
  service: string,
  program: readonly string[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const docker = dockerClient();
  const [found] = await docker.listContainers({
    filters: { label: [`com.routeql.stack=${stack}`, `com.routeql.service=${service}`] },
  });
  if (found === undefined) return undefined;
  const [said, errors] = [collectOutput(), collectOutput()];
  try {
    const code = await execute(docker.getContainer(found.Id), program, {
      output: said.stream,
      errors: errors.stream,
      signal: AbortSignal.any([signal, AbortSignal.timeout(patience)]),
    });
    return code === 0 ? said.text() : undefined;
  } catch {
    signal.throwIfAborted();
    return undefined;
  }
}

/** Alerts that fire in the stack's own Prometheus; undefined without one, or while it does not answer. */
export async function firingAlerts(stack: string, signal: AbortSignal): Promise<readonly FiringAlert[] | undefined> {
  const text = await outputIn(stack, "prometheus", alertProgram, signal);
  return text === undefined ? undefined : readAlerts(text);
}

/** Deliveries since the Alertmanager's start; undefined without one, or while it does not answer. */
export async function alertDeliveries(stack: string, signal: AbortSignal): Promise<Deliveries | undefined> {
  const text = await outputIn(stack, "alertmanager", deliveryProgram, signal);
  return text === undefined ? undefined : countNotifications(text);
}

/** Notifications that Alertmanager has sent, and failed attempts, from the text of its metrics. */
export function countNotifications(metrics: string): Deliveries {
  const sum = (name: string): number =>
    [...metrics.matchAll(new RegExp(`^${name}\\{[^}]*\\} (\\S+)$`, "gm"))].reduce((all, [, n]) => all + Number(n), 0);
  return {
    sent: sum("alertmanager_notifications_total"),
    failed: sum("alertmanager_notification_requests_failed_total"),
  };
}

export const deliveryProgram = [
  "bash",
  "-c",
  String.raw`exec 3<>/dev/tcp/127.0.0.1/9093 && printf 'GET /metrics HTTP/1.0\r\n\r\n' >&3 && timeout 4 cat <&3`,
];

/** Asks the stack's own Prometheus inside its container, because its port may be on another machine. */
const alertProgram = [
  "promtool",
  "query",
  "-o",
  "json",
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
