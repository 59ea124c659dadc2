import { stackPaths } from "@routeql/host/paths";
import { storedDeployment } from "../pulumi/recovery.ts";
import type { PlaceFacts } from "../place/stack-place.ts";
import { alertDeliveries, executeIn, firingAlerts } from "./alerting.ts";
import { archiveFacts } from "../status/archive-facts.ts";
import type { ServiceState } from "../status/report.ts";
import { sharedIdProblems } from "./host-accounts.ts";
import { hostFirewalls } from "./host-firewall.ts";
import { lostImageProblems } from "./lost-images.ts";
import { lostNetworkProblems } from "./lost-networks.ts";
import { isPublishedOutside } from "./published-address.ts";

/** The archive, the stack's own Prometheus and Alertmanager, accounts and firewalls of this host. */
export async function placeFacts(
  stack: string,
  services: readonly ServiceState[],
  signal: AbortSignal,
): Promise<PlaceFacts> {
  const users = services.flatMap(({ user }) => (user === undefined ? [] : [user]));
  const [archive, alerts, deliveries, accounts, images, networks, passedFirewalls] = await Promise.all([
    executeIn(stack, "archive").then((inside) => inside && archiveFacts(inside, signal)),
    firingAlerts(stack, signal),
    alertDeliveries(stack, signal),
    sharedIdProblems(users),
    lostImageProblems(stack, services),
    storedDeployment(stackPaths(stack), stack).then((deployment) => lostNetworkProblems(stack, services, deployment)),
    isPublishedOutside(stack).then((outside) => (outside ? hostFirewalls() : [])),
  ]);
  return { archive, alerts, deliveries, problems: [...networks, ...accounts, ...images], passedFirewalls };
}
