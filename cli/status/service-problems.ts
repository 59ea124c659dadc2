import type { Problem, ServiceState } from "./report.ts";

/** Services before the services that call them: the first problem is the likely cause of the others. */
const order = ["database", "migrate", "sessions", "auth-sidecar", "apply-metadata", "engine", "gateway"];
const rank = (service: string): number => (order.includes(service) ? order.indexOf(service) : order.length);

/** Reason why a service does not work; undefined when it does. */
function reasonOf({ kind, state, health, exitCode, detail }: ServiceState): string | undefined {
  const because = detail === undefined ? "" : `: ${detail}`;
  if (state === "missing") return `has no container${because}`;
  if (kind === "job") {
    if (state === "exited" || state === "succeeded")
      return exitCode === undefined || exitCode === 0 ? undefined : `failed with exit code ${exitCode}${because}`;
    return state === "failed" ? `failed${because}` : `is ${state}${because}`;
  }
  if (state === "exited") return `stopped with exit code ${exitCode ?? "unknown"}${because}`;
  if (state !== "running") return `is ${state}${because}`;
  if (health === "unhealthy") return `runs but is unhealthy${because}`;
  return health === "starting" ? `is starting${because}` : undefined;
}

/** Problems of the services with the command that helps, causes first. `options` are the arguments after `--` for another stack. */
export function serviceProblems(states: readonly ServiceState[], stack: string): Problem[] {
  const stackOption = stack === "local" ? "" : `--stack ${stack} `;
  const up = `npm run up${stack === "local" ? "" : ` -- --stack ${stack}`}`;
  return states
    .toSorted((left, right) => rank(left.service) - rank(right.service))
    .flatMap((service) => {
      const reason = reasonOf(service);
      if (reason === undefined) return [];
      const logs = `npm run logs -- ${stackOption}--tail 50 ${service.service}`;
      const next =
        service.state === "paused"
          ? `docker unpause ${service.container}`
          : service.state === "missing"
            ? up
            : service.health === "starting"
              ? `${logs}, then this command again`
              : `${logs}, then ${up}`;
      return [{ subject: service.service, reason, next }];
    });
}

/** One state for each expected service: `missing` for a service without a container. */
export function withMissing(
  found: readonly ServiceState[],
  expected: readonly { readonly service: string; readonly container: string; readonly image: string }[],
): ServiceState[] {
  const missing = expected
    .filter(({ service }) => !found.some((state) => state.service === service))
    .map(({ service, container, image }) => ({
      service,
      container,
      image,
      kind: "service" as const,
      state: "missing",
      restarts: 0,
    }));
  return [...found, ...missing].toSorted(
    (left, right) => rank(left.service) - rank(right.service) || (left.container < right.container ? -1 : 1),
  );
}
