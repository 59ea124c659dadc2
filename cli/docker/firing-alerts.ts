import { dockerClient } from "@routeql/host/docker/client";
import { execute } from "@routeql/host/docker/execute";
import { alertProgram, readAlerts } from "../status/alerts.ts";
import { collectOutput } from "../status/health-detail.ts";
import type { FiringAlert } from "../status/report.ts";

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
