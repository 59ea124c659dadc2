import { setTimeout as sleep } from "node:timers/promises";
import { Failure } from "@routeql/host/failure";
import type { StackPlace } from "../place/stack-place.ts";
import { endpointState } from "../status/endpoint.ts";
import { factProblems, serviceProblems } from "../status/problems.ts";
import type { Problem } from "../status/report.ts";
import type { StackAccess } from "../access/access.ts";

/** Milliseconds. */
const longestStart = 90_000;

/**
 * Problems of the services now. The gateway is asked too, as a client that knows only the public name and the authority; one that this machine
 * cannot reach (on Kubernetes, or on a daemon of another machine) is no problem.
 */
export async function currentProblems(
  access: StackAccess,
  stack: string,
  place: StackPlace,
  signal: AbortSignal,
): Promise<readonly Problem[]> {
  const [states, endpoint] = await Promise.all([
    place.services(signal),
    endpointState(access, await place.publishedAddress()),
  ]);
  const isKnown = endpoint.error === undefined || endpoint.refusedCertificate === true || place.mustAnswer;
  const answered = isKnown ? { endpoint, expectedMigrations: [] } : { expectedMigrations: [] };
  return [...serviceProblems(states, stack), ...factProblems(answered, {}, stack)];
}

/** Problems that a person corrects elsewhere; they fail no update. */
const warned: ReadonlySet<string> = new Set(["certificate", "public name"]);

/** Waits until every service is healthy and clients accept the certificate. @returns warnings, which fail no update @throws Failure per problem */
export async function untilHealthy(
  read: () => Promise<readonly Problem[]>,
  signal: AbortSignal,
  { patience = longestStart, interval = 1000 } = {},
): Promise<readonly string[]> {
  const end = performance.now() + patience;
  for (;;) {
    const found = await read();
    const problems = found.filter(({ subject }) => !warned.has(subject));
    const [first] = problems;
    if (first === undefined) return found.map(({ subject, reason, next }) => `The ${subject} ${reason}. Next: ${next}`);
    if (performance.now() > end)
      throw new Failure("The stack is updated, but a service does not work", {
        lastLines: problems.map(({ subject, reason }) => `${subject}: ${reason}`),
        remedy: first.next,
      });
    await sleep(interval, undefined, { signal });
  }
}
