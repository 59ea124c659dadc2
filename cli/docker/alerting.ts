import { execute } from "@routeql/host/docker/execute";
import { lastLogLines } from "@routeql/host/docker/output";
import { Failure } from "@routeql/host/failure";
import type { Execute } from "@routeql/host/program-streams";
import { stackArgument } from "../foundation/command.ts";
import type { Alerting } from "../place/stack-place.ts";
import { alertProgram, countNotifications, deliveryProgram, outputOf, readAlerts } from "../status/alerts.ts";
import type { Deliveries, FiringAlert } from "../status/report.ts";
import { optionalContainer } from "./running-container.ts";

/** Milliseconds for the answer of Prometheus. */
const patience = 5_000;

/** Runs programs in the running container of a service; undefined without one. */
export async function executeIn(stack: string, service: string): Promise<Execute | undefined> {
  const container = await optionalContainer(stack, service);
  return container && ((program, streams) => execute(container, program, streams));
}

/** The output of a program in the stack's container of a service; undefined without the container, or when the program fails. */
async function outputIn(
  stack: string,
  service: string,
  program: readonly string[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const inside = await executeIn(stack, service);
  try {
    return inside && (await outputOf(inside, program, AbortSignal.any([signal, AbortSignal.timeout(patience)])));
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

/** @throws Failure when the stack has no Alertmanager */
export async function openAlerting(stack: string): Promise<Alerting> {
  const container = await optionalContainer(stack, "alertmanager");
  if (container === undefined)
    throw new Failure(`The stack ${stack} has no Alertmanager`, {
      remedy: `set MONITORING=stack and ALERT_WEBHOOK_URL or ALERT_EMAIL_TO, then npm run up${stackArgument(stack)}: docs/operate/monitoring.md`,
    });
  return {
    firing: (signal) => firingAlerts(stack, signal),
    inAlertmanager: (program, streams) => execute(container, program, streams),
    lastLines: (count) => lastLogLines(container, count),
  };
}
