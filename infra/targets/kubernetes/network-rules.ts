/** NetworkPolicy specs: a pure function of the descriptions. The tests compare them with the declared edges in both directions. */
import { isIP } from "node:net";
import type { types } from "@pulumi/kubernetes";
import { callEdges, type OutsideName, type ServiceDescription, type ServiceName } from "../../description/service.ts";
import type { NameServer } from "../../settings/values/cluster-network.ts";
import { type Labels, type Scope, selectorOf } from "./scope.ts";

type Spec = types.input.networking.v1.NetworkPolicySpec;
type Peer = types.input.networking.v1.NetworkPolicyPeer;
type Rule = types.input.networking.v1.NetworkPolicyEgressRule;
type Port = types.input.networking.v1.NetworkPolicyPort;

/** A callee that this target does not run itself, such as a database cluster. */
export interface ForeignPart {
  readonly pods: Labels;
  readonly ports: readonly number[];
}

/** An external place: ports, and its namespace or address if known. */
export interface OutsidePlace {
  readonly ports: readonly number[];
  /** CIDR; without one, any address outside of the metadata services of clouds, because a policy cannot contain a name. */
  readonly addresses?: readonly string[];
  /** Namespace of a Service of the cluster. Some network plugins apply addresses only to traffic that leaves the cluster. */
  readonly namespace?: string;
}

export interface NetworkFacts {
  readonly scope: Scope;
  readonly foreign?: Partial<Record<ServiceName, ForeignPart>>;
  readonly outside: Partial<Record<OutsideName, OutsidePlace>>;
  readonly nameServers: readonly NameServer[];
  /** Namespace whose pods may read the metrics. */
  readonly metricsNamespace?: string | undefined;
}

const hostRange = (address: string): string => `${address}/${isIP(address) === 4 ? 32 : 128}`;
/** All addresses but those at which clouds give a node's credentials to its pods: link-local ones, and those of AWS and Google in IPv6. */
const everywhere = [
  { cidr: "0.0.0.0/0", except: ["169.254.0.0/16"] },
  { cidr: "::/0", except: ["fe80::/10", "fd00:ec2::/64", "fd20:ce::254/128"] },
];
export const tcp = (ports: readonly number[]): Port[] => ports.map((port) => ({ port, protocol: "TCP" }));
export const podsWith = (matchLabels: Labels) => ({ podSelector: { matchLabels: { ...matchLabels } } });
export const inNamespace = (name: string): Peer => ({
  namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": name } },
});

export function peersOf(place: OutsidePlace): Peer[] {
  if (place.namespace !== undefined) return [inNamespace(place.namespace)];
  return (place.addresses?.map((cidr) => ({ cidr })) ?? everywhere).map((ipBlock) => ({ ipBlock }));
}

const nameServerPeer = (server: NameServer): Peer =>
  "address" in server
    ? { ipBlock: { cidr: hostRange(server.address) } }
    : { ...inNamespace(server.namespace), ...podsWith(server.labels) };

/** Only the cluster's name servers: one rule for each port. */
export const toNameServers = (servers: readonly NameServer[]): Rule[] =>
  [...Map.groupBy(servers, ({ port }) => port)].map(([port, same]) => ({
    to: same.map(nameServerPeer),
    ports: ["UDP", "TCP"].map((protocol) => ({ port, protocol })),
  }));

/** Denies all traffic of every pod in the namespace, unless another policy allows it. */
export const denyAll: Spec = { podSelector: {}, policyTypes: ["Ingress", "Egress"] };

function ingress(
  service: ServiceDescription,
  callers: readonly ServiceName[],
  around: NetworkFacts,
): NonNullable<Spec["ingress"]> {
  const rules: types.input.networking.v1.NetworkPolicyIngressRule[] = [];
  if (callers.length > 0) {
    rules.push({
      from: callers.map((caller) => podsWith(selectorOf(caller, around.scope))),
      ports: tcp(service.listens.map(({ port }) => port)),
    });
  }
  for (const [clients, open] of Map.groupBy(service.ports, (port) => port.clients)) {
    const from = clients?.map((cidr) => ({ ipBlock: { cidr } }));
    rules.push({ ...(from === undefined ? {} : { from }), ports: tcp(open.map(({ internal }) => internal)) });
  }
  if (around.metricsNamespace !== undefined && service.metricsPort !== undefined) {
    rules.push({ from: [inNamespace(around.metricsNamespace)], ports: tcp([service.metricsPort]) });
  }
  return rules;
}

function egress(
  service: ServiceDescription,
  listening: ReadonlyMap<ServiceName, ForeignPart>,
  { outside, nameServers }: NetworkFacts,
): NonNullable<Spec["egress"]> {
  const rules: Rule[] = service.calls.map((callee) => {
    const part = listening.get(callee);
    if (part === undefined) throw new Error(`${service.name} calls ${callee}, which nothing runs.`);
    return { to: [podsWith(part.pods)], ports: tcp(part.ports) };
  });
  for (const name of service.callsOutside ?? []) {
    const place = outside[name];
    if (place === undefined)
      throw new Error(`${service.name} calls ${name} outside the stack, and nothing says where that is.`);
    rules.push({ to: peersOf(place), ports: tcp(place.ports) });
  }
  return rules.length === 0 ? [] : [...toNameServers(nameServers), ...rules];
}

/** One policy for each service, by its name: exactly its edges as caller and callee. */
export function networkRules(
  services: readonly ServiceDescription[],
  around: NetworkFacts,
): ReadonlyMap<ServiceName, Spec> {
  const edges = callEdges(services);
  const listening = new Map<ServiceName, ForeignPart>(
    Object.entries(around.foreign ?? {}) as [ServiceName, ForeignPart][],
  );
  for (const { name, listens } of services) {
    listening.set(name, { pods: selectorOf(name, around.scope), ports: listens.map(({ port }) => port) });
  }
  return new Map(
    services.map((service) => {
      const callers = edges.filter(([, callee]) => callee === service.name).map(([caller]) => caller);
      const spec: Spec = {
        podSelector: { matchLabels: { ...selectorOf(service.name, around.scope) } },
        policyTypes: ["Ingress", "Egress"],
        ingress: ingress(service, callers, around),
        egress: egress(service, listening, around),
      };
      return [service.name, spec];
    }),
  );
}

const standardPorts: Readonly<Record<string, number>> = {
  "ldap:": 389,
  "ldaps:": 636,
  "postgres:": 5432,
  "postgresql:": 5432,
  "redis:": 6379,
  "rediss:": 6379,
  "valkey:": 6379,
  "valkeys:": 6379,
  "http:": 80,
  "https:": 443,
  "ws:": 80,
  "wss:": 443,
};

function addressOf(host: string): string | undefined {
  const plain = host.replace(/^\[|\]$/g, "");
  return isIP(plain) === 0 ? undefined : hostRange(plain);
}

/** The namespace of a Service's name, `<service>.<namespace>.svc[.<domain>]`. */
function namespaceOf(host: string): string | undefined {
  const [, namespace, kind] = host.split(".");
  return kind === "svc" ? namespace : undefined;
}

/** Ports, and the namespace of a cluster's Service, or addresses if every URL has one: a policy cannot contain a name. */
export function placeOf(urls: readonly string[]): OutsidePlace {
  const parsed = urls.map((url) => new URL(url));
  const ports = parsed.map(({ port, protocol }) => (port === "" ? (standardPorts[protocol] ?? 0) : Number(port)));
  const [first, ...others] = new Set(parsed.map(({ hostname }) => namespaceOf(hostname)));
  if (first !== undefined && others.length === 0) return { ports: [...new Set(ports)], namespace: first };
  const addresses = parsed.map(({ hostname }) => addressOf(hostname)).filter((address) => address !== undefined);
  return {
    ports: [...new Set(ports)],
    ...(addresses.length === parsed.length ? { addresses: [...new Set(addresses)] } : {}),
  };
}

/** Several addresses of one place are separated by spaces or commas. */
export type OutsideUrls = Partial<Record<OutsideName, string | undefined>>;

const listOf = (text: string): readonly string[] => text.split(/[\s,]+/).filter((url) => url !== "");

/** Configured external services. Only ports and addresses, nothing secret. */
export function outsidePlaces(urls: OutsideUrls): Partial<Record<OutsideName, OutsidePlace>> {
  const known = Object.entries(urls).filter((entry): entry is [OutsideName, string] => entry[1] !== undefined);
  return Object.fromEntries(known.map(([name, text]) => [name, placeOf(name === "directory" ? listOf(text) : [text])]));
}
