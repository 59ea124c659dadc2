import { connectCluster } from "@routeql/cli/kubernetes/connection/connect";
import type { Place } from "@routeql/cli/kubernetes/place";
import { listAt } from "@routeql/host/kubernetes/objects";

/**
 * The node port of one of the gateway's ports.
 * @throws {Error} if there is none
 */
export async function servicePort({ namespace }: Place, internal: number): Promise<number> {
  const { cluster } = await connectCluster();
  const service = await cluster.get({ apiVersion: "v1", kind: "Service", name: "gateway", namespace });
  const ports = listAt(service, "spec", "ports") as readonly {
    readonly targetPort: number;
    readonly nodePort?: number;
  }[];
  const found = ports.find(({ targetPort }) => targetPort === internal)?.nodePort;
  if (found === undefined)
    throw new Error(`the gateway has no node port for ${internal}: the suite needs gatewayService NodePort`);
  return found;
}

/**
 * A plain variable of a Deployment's containers.
 * @throws {Error} if there is none with this name
 */
export async function podEnvironmentOf({ namespace }: Place, deployment: string, name: string): Promise<string> {
  const { cluster } = await connectCluster();
  const object = await cluster.get({ apiVersion: "apps/v1", kind: "Deployment", name: deployment, namespace });
  const containers = listAt(object, "spec", "template", "spec", "containers") as readonly {
    readonly env?: readonly { readonly name: string; readonly value?: string }[];
  }[];
  const found = containers.flatMap(({ env = [] }) => env).find((entry) => entry.name === name)?.value;
  if (found === undefined) throw new Error(`${deployment} has no ${name}`);
  return found;
}
