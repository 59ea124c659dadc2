import type { KubeConfig } from "@kubernetes/client-node";
import { Failure, messageOf } from "@routeql/host/failure";
import { ApiClient, ApiError, defaultConfig } from "@routeql/host/kubernetes/client";
import { Cluster } from "@routeql/host/kubernetes/cluster";
import { requireOwn } from "../../ownership/ownership.ts";
import { clusterClaims } from "../objects/claims.ts";
import { type Place, refuseOtherCluster } from "../place.ts";

export interface Connection {
  readonly config: KubeConfig;
  readonly cluster: Cluster;
  readonly server: string;
  /** `v1.34.10` */
  readonly version: string;
}

const remedy =
  "kubectl must reach a cluster from here (`kubectl get namespaces`): set KUBECONFIG or the current context (kubectl config use-context). " +
  "To run without one: routeql:target docker (TARGET=docker).";

/** The cluster of kubectl's current context. @param check receives its address before the first request @throws Failure */
export async function connectCluster(
  signal?: AbortSignal,
  check: (server: string) => void = () => undefined,
): Promise<Connection> {
  try {
    const config = defaultConfig();
    const api = new ApiClient(config);
    check(api.server);
    const { gitVersion } = await api.json<{ gitVersion: string }>({ method: "GET", path: "/version", signal });
    return { config, cluster: new Cluster(api), server: api.server, version: gitVersion };
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof Failure) throw error;
    const what =
      error instanceof ApiError
        ? `The Kubernetes cluster rejects requests: ${error.message}`
        : `No Kubernetes cluster answers: ${messageOf(error)}`;
    throw new Failure(what, { remedy, cause: error });
  }
}

/** The cluster on which a stack runs. @throws Failure for another cluster in kubectl, or a stack of another state */
export async function connectTo(place: Place, stack: string, signal?: AbortSignal): Promise<Connection> {
  const connection = await connectCluster(signal, (server) => refuseOtherCluster(stack, place, { server }));
  await requireOwn(stack, clusterClaims(connection.cluster, place));
  return connection;
}
