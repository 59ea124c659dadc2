import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "@routeql/host/failure";
import { dockerServiceStates } from "../docker/service-states.ts";
import { clusterServiceStates } from "../kubernetes/service-states.ts";
import type { Place } from "../kubernetes/place.ts";
import { endpointState } from "../status/endpoint.ts";
import { factProblems, serviceProblems } from "../status/problems.ts";
import type { Problem } from "../status/report.ts";
import type { StackAccess } from "./access.ts";

/** Milliseconds. */
const longestStart = 90_000;

/** Problems of the services now. The gateway is asked too, because Docker reports late; an unreachable one is no problem. */
export async function currentProblems(
  access: StackAccess,
  stack: string,
  place: Place | undefined,
  signal: AbortSignal,
): Promise<readonly Problem[]> {
  const [states, endpoint] = await Promise.all([
    place ? clusterServiceStates(place, stack, signal) : dockerServiceStates(stack, signal),
    endpointState(access),
  ]);
  const answered = endpoint.error === undefined ? { endpoint, expectedMigrations: [] } : { expectedMigrations: [] };
  return [...serviceProblems(states, stack), ...factProblems(answered, {}, stack)];
}

/** Waits until every service is healthy. @returns warnings about the certificate, which fail no update @throws Failure per problem */
export async function untilHealthy(
  read: () => Promise<readonly Problem[]>,
  signal: AbortSignal,
  { patience = longestStart, interval = 1000 } = {},
): Promise<readonly string[]> {
  const end = performance.now() + patience;
  for (;;) {
    const found = await read();
    const ofCertificate = ({ subject }: Problem): boolean => subject === "certificate";
    const problems = found.filter((problem) => !ofCertificate(problem));
    const [first] = problems;
    if (first === undefined)
      return found.filter(ofCertificate).map(({ reason, next }) => `The certificate ${reason}. Next: ${next}`);
    if (performance.now() > end)
      throw new Failure("The stack is updated, but a service does not work", {
        lastLines: problems.map(({ subject, reason }) => `${subject}: ${reason}`),
        remedy: first.next,
      });
    await sleep(interval, undefined, { signal });
  }
}
