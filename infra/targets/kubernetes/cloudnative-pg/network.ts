import type { types } from "@pulumi/kubernetes";
import type { ServiceName } from "../../../services/description.ts";
import { nameServers } from "../network-rules.ts";
import type { ForeignPart } from "../network-rules.ts";
import { selectorOf } from "../scope.ts";
import type { Scope } from "../scope.ts";
import { clusterName } from "./cluster-spec.ts";
import type { ClusterSettings } from "./cluster-spec.ts";

const postgres = 5432;
/** Port on which the operator requests each instance's state. */
const statusPort = 8000;
const metricsPort = 9187;
/** Ports of an API server; its address depends on the cluster. */
const apiServerPorts = [443, 6443];

/** The pods of the cluster for their callers' policies. */
export const clusterPart: ForeignPart = { pods: { "cnpg.io/cluster": clusterName }, ports: [postgres] };

const tcp = (...ports: number[]): types.input.networking.v1.NetworkPolicyPort[] =>
  ports.map((port) => ({ port, protocol: "TCP" }));
const inNamespace = (name: string): types.input.networking.v1.NetworkPolicyPeer => ({
  namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": name } },
});

export interface ClusterCallers {
  readonly callers: readonly ServiceName[];
  readonly metricsNamespace?: string | undefined;
  readonly scope: Pick<Scope, "instance">;
}

/** Outgoing connections of the database's instances: replication, and the operator's needs. */
export function clusterPolicy(
  { backup, operatorNamespace }: Pick<ClusterSettings, "backup" | "operatorNamespace">,
  { callers, metricsNamespace, scope }: ClusterCallers,
): types.input.networking.v1.NetworkPolicySpec {
  const instances = { podSelector: { matchLabels: { ...clusterPart.pods } } };
  const anywhere = ["0.0.0.0/0", "::/0"].map((cidr) => ({ ipBlock: { cidr } }));
  const endpoint = backup === undefined ? undefined : new URL(backup.endpoint ?? "https://s3.amazonaws.com");
  const storagePort = endpoint && Number(endpoint.port || (endpoint.protocol === "http:" ? 80 : 443));
  return {
    podSelector: instances.podSelector,
    policyTypes: ["Ingress", "Egress"],
    ingress: [
      {
        from: callers.map((caller) => ({ podSelector: { matchLabels: { ...selectorOf(caller, scope) } } })),
        ports: tcp(postgres),
      },
      { from: [instances, inNamespace(operatorNamespace)], ports: tcp(postgres, statusPort) },
      ...(metricsNamespace === undefined ? [] : [{ from: [inNamespace(metricsNamespace)], ports: tcp(metricsPort) }]),
    ],
    egress: [
      nameServers,
      { to: [instances], ports: tcp(postgres, statusPort) },
      {
        to: anywhere,
        ports: tcp(...new Set([...apiServerPorts, ...(storagePort === undefined ? [] : [storagePort])])),
      },
    ],
  };
}
