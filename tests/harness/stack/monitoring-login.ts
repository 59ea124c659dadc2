import { monitoringPassword, monitoringUser } from "@routeql/infra/monitoring/login";
import { secretPath } from "@routeql/infra/description/service";
import { mustRun } from "../process.ts";

/** Headers of a request to a stack's own Prometheus or Alertmanager. @param container that of the service */
export async function monitoringLogin(container: string): Promise<{ readonly authorization: string }> {
  const password = (await mustRun("docker", ["exec", container, "cat", secretPath(monitoringPassword)])).trim();
  return { authorization: `Basic ${Buffer.from(`${monitoringUser}:${password}`).toString("base64")}` };
}
