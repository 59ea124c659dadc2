import type { PlaceFacts } from "../place/stack-place.ts";
import { alertDeliveries, firingAlerts } from "../status/alerts.ts";
import { archiveFacts } from "../status/archive-facts.ts";
import type { ServiceState } from "../status/report.ts";
import { sharedIdProblems } from "./host-accounts.ts";

/** The archive, the stack's own Prometheus and Alertmanager, and accounts of this host. */
export async function placeFacts(
  stack: string,
  services: readonly ServiceState[],
  signal: AbortSignal,
): Promise<PlaceFacts> {
  const users = services.flatMap(({ user }) => (user === undefined ? [] : [user]));
  const [archive, alerts, deliveries, problems] = await Promise.all([
    archiveFacts(stack, signal),
    firingAlerts(stack, signal),
    alertDeliveries(stack, signal),
    sharedIdProblems(users),
  ]);
  return { archive, alerts, deliveries, problems };
}
