import type {
  V1Namespace,
  V1NetworkPolicy,
  V1NetworkPolicyIngressRule,
  V1NetworkPolicyPeer,
  V1NetworkPolicyPort,
  V1Pod,
} from "@kubernetes/client-node";
import { selects } from "./selector.ts";

/** The objects that policies depend on. */
export interface Cluster {
  readonly namespaces: readonly V1Namespace[];
  readonly pods: readonly V1Pod[];
  readonly policies: readonly V1NetworkPolicy[];
}

type Direction = "ingress" | "egress";

const table = "routeql-network-policies";

/** Running pods with their own address. */
const reachable = ({ spec, status }: V1Pod): boolean =>
  status?.podIP !== undefined && !spec?.hostNetwork && status.phase !== "Succeeded" && status.phase !== "Failed";

const labelsOf = (cluster: Cluster, namespace: string | undefined): Readonly<Record<string, string>> =>
  cluster.namespaces.find(({ metadata }) => metadata?.name === namespace)?.metadata?.labels ?? {};

/** Ingress always applies; egress applies if it is named, or if there are rules for it (NetworkPolicySpec.policyTypes). */
function directionsOf({ spec }: V1NetworkPolicy): Direction[] {
  const types = spec?.policyTypes ?? (spec?.egress === undefined ? ["Ingress"] : ["Ingress", "Egress"]);
  return types.map((type) => (type === "Ingress" ? "ingress" : "egress"));
}

function peerPods(
  cluster: Cluster,
  namespace: string | undefined,
  { podSelector, namespaceSelector }: V1NetworkPolicyPeer,
): V1Pod[] {
  return cluster.pods.filter(
    (pod) =>
      reachable(pod) &&
      (namespaceSelector
        ? selects(namespaceSelector, labelsOf(cluster, pod.metadata?.namespace))
        : pod.metadata?.namespace === namespace) &&
      selects(podSelector ?? {}, pod.metadata?.labels),
  );
}

function portNumber(port: V1NetworkPolicyPort["port"], pod: V1Pod): number | undefined {
  if (port === undefined || typeof port === "number") return port;
  const ports = pod.spec?.containers.flatMap((container) => container.ports ?? []) ?? [];
  return ports.find(({ name }) => name === port)?.containerPort;
}

/** Matches of one port; undefined if the pod has no port with that name. */
function portMatch(
  { protocol = "TCP", port, endPort }: V1NetworkPolicyPort,
  pod: V1Pod | undefined,
): string | undefined {
  const name = protocol.toLowerCase();
  if (port === undefined) return `meta l4proto ${name}`;
  const number = pod ? portNumber(port, pod) : typeof port === "number" ? port : undefined;
  if (number === undefined) return undefined;
  return `${name} dport ${endPort === undefined ? number : `${number}-${endPort}`}`;
}

/** nftables rules that allow the traffic of one policy rule for one pod. */
function allowances(
  cluster: Cluster,
  pod: V1Pod,
  direction: Direction,
  peers: readonly V1NetworkPolicyPeer[] | undefined,
  ports: readonly V1NetworkPolicyPort[] | undefined,
): string[] {
  const field = direction === "ingress" ? "ip saddr" : "ip daddr";
  /** A named port belongs to the destination pod. */
  const withPorts = (match: string, peer: V1Pod | undefined): string[] => {
    const target = direction === "ingress" ? pod : peer;
    const matches = ports?.length ? ports.map((port) => portMatch(port, target)) : [""];
    return matches
      .filter((text) => text !== undefined)
      .map((text) => [match, text, "return"].filter((part) => part !== "").join(" "));
  };
  if (!peers?.length) return withPorts("", undefined);
  return peers.flatMap((peer) => {
    if (peer.ipBlock) {
      const { cidr, except } = peer.ipBlock;
      if (cidr.includes(":")) return [];
      return withPorts(`${field} ${cidr}${except?.length ? ` ${field} != { ${except.join(", ")} }` : ""}`, undefined);
    }
    return peerPods(cluster, pod.metadata?.namespace, peer).flatMap((other) =>
      withPorts(`${field} ${other.status!.podIP!}`, other),
    );
  });
}

/** The client calls the field `_from` in listed objects and `from` in watched ones. */
function sourcesOf(rule: V1NetworkPolicyIngressRule): V1NetworkPolicyPeer[] | undefined {
  return rule._from ?? (rule as { readonly from?: V1NetworkPolicyPeer[] }).from;
}

/** The rules for one pod; undefined if no policy selects it in this direction, which allows everything. */
export function rulesFor(cluster: Cluster, pod: V1Pod, direction: Direction): string[] | undefined {
  const applying = cluster.policies.filter(
    (policy) =>
      policy.metadata?.namespace === pod.metadata?.namespace &&
      directionsOf(policy).includes(direction) &&
      selects(policy.spec?.podSelector ?? {}, pod.metadata?.labels),
  );
  if (applying.length === 0) return undefined;
  const rules = applying.flatMap(({ spec }) =>
    direction === "ingress"
      ? (spec?.ingress ?? []).flatMap((rule) => allowances(cluster, pod, direction, sourcesOf(rule), rule.ports))
      : (spec?.egress ?? []).flatMap(({ to, ports }) => allowances(cluster, pod, direction, to, ports)),
  );
  return [...new Set(rules)];
}

/**
 * The whole table for nft(8). It filters traffic that the node forwards (connections between pods and from outside) and that of pods to
 * the node itself (API server, kubelet). Traffic of the node to its pods (probes) is always allowed, as Kubernetes requires. Forbidden
 * traffic is rejected (host unreachable), so that a test can distinguish it from a closed port.
 */
export function ruleset(cluster: Cluster): string {
  const chains: string[] = [];
  const jumps: string[] = [];
  for (const pod of cluster.pods.filter(reachable)) {
    const address = pod.status!.podIP!;
    for (const direction of ["egress", "ingress"] as const) {
      const rules = rulesFor(cluster, pod, direction);
      if (rules === undefined) continue;
      const chain = `${direction}-${address.replaceAll(".", "-")}`;
      jumps.push(`ip ${direction === "egress" ? "saddr" : "daddr"} ${address} jump ${chain}`);
      chains.push(
        `  chain ${chain} {\n${[...rules, "reject with icmpx type admin-prohibited"].map((rule) => `    ${rule}\n`).join("")}  }\n`,
      );
    }
  }
  const hook = (name: "forward" | "input"): string => {
    const lines = [
      `type filter hook ${name} priority filter; policy accept;`,
      "ct state established,related accept",
      ...jumps,
    ];
    return `  chain ${name} {\n${lines.map((line) => `    ${line}\n`).join("")}  }\n`;
  };
  return `table inet ${table}\ndelete table inet ${table}\ntable inet ${table} {\n${chains.join("")}${hook("forward")}${hook("input")}}\n`;
}
