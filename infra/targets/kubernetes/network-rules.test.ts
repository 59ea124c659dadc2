import { BlockList, isIP } from "node:net";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { OutsideName, ServiceDescription, ServiceName } from "../../description/service.ts";
import { settings } from "../../settings/list.ts";
import { nameServersOf } from "../../settings/values/cluster-network.ts";
import { describeTestService } from "../../testing/descriptions.ts";
import { denyAll, networkRules, type NetworkFacts, outsidePlaces, peersOf, placeOf } from "./network-rules.ts";

const scope = {
  namespace: "routes",
  instance: "routeql-prod",
  clusterDomain: "cluster.local",
} as NetworkFacts["scope"];
const names: readonly ServiceName[] = [
  "gateway",
  "engine",
  "auth-sidecar",
  "sessions",
  "database",
  "migrate",
  "apply-metadata",
];
const portOf = (name: ServiceName): number => 1000 + names.indexOf(name);
const nameServers = nameServersOf(settings.nameServers.default);
const outside: NetworkFacts["outside"] = {
  directory: { ports: [636], addresses: ["192.0.2.7/32"] },
  database: { ports: [5432] },
  sessions: { ports: [6379, 6380] },
};

interface Rule {
  readonly from?: {
    podSelector?: { matchLabels: Record<string, string> };
    namespaceSelector?: { matchLabels: Record<string, string> };
  }[];
  readonly to?: {
    podSelector?: { matchLabels: Record<string, string> };
    namespaceSelector?: object;
    ipBlock?: { cidr: string; except?: string[] };
  }[];
  readonly ports: { port: number; protocol: string }[];
}
interface Spec {
  readonly podSelector: { matchLabels: Record<string, string> };
  readonly policyTypes: string[];
  readonly ingress: Rule[];
  readonly egress: Rule[];
}
const specs = (services: readonly ServiceDescription[], changes: Partial<NetworkFacts> = {}): Map<ServiceName, Spec> =>
  new Map(
    [...networkRules(services, { scope, outside, nameServers, ...changes })].map(([name, spec]) => [
      name,
      spec as unknown as Spec,
    ]),
  );
const nameIn = (labels: Record<string, string> | undefined): string => labels?.["app.kubernetes.io/name"] ?? "";

/** Random services with random calls among them and to external services. */
const stacks = fc
  .uniqueArray(fc.constantFrom(...names), { minLength: 1 })
  .chain((present) =>
    fc.tuple(
      ...present.map((name) =>
        fc.record({
          name: fc.constant(name),
          calls: fc.uniqueArray(fc.constantFrom(...present), { maxLength: 4 }),
          callsOutside: fc.uniqueArray(fc.constantFrom<OutsideName>("directory", "database", "sessions")),
        }),
      ),
    ),
  )
  .map((chosen) =>
    chosen.map((changes) =>
      describeTestService({ ...changes, listens: [{ name: "http", port: portOf(changes.name) }] }),
    ),
  );

test("a service may call exactly its declared callees, at their ports", () => {
  fc.assert(
    fc.property(stacks, (services) => {
      for (const { name, calls } of services) {
        const allowed = (specs(services).get(name)?.egress ?? []).flatMap(({ to = [], ports }) =>
          to.flatMap(({ podSelector, namespaceSelector }) =>
            podSelector === undefined || namespaceSelector !== undefined
              ? []
              : ports.map(({ port }) => `${nameIn(podSelector.matchLabels)}:${port}`),
          ),
        );
        expect(allowed.toSorted()).toEqual(calls.map((callee) => `${callee}:${portOf(callee)}`).toSorted());
      }
    }),
  );
});

test("a service accepts exactly its declared callers, at its own ports", () => {
  fc.assert(
    fc.property(stacks, (services) => {
      const rules = specs(services);
      const declared = services.flatMap(({ name, calls }) => calls.map((callee) => `${name}>${callee}`));
      const rendered = services.flatMap(({ name: callee }) =>
        (rules.get(callee)?.ingress ?? []).flatMap(({ from = [], ports }) => {
          expect(ports.map(({ port }) => port)).toEqual([portOf(callee)]);
          return from.map(({ podSelector }) => `${nameIn(podSelector?.matchLabels)}>${callee}`);
        }),
      );
      expect(rendered.toSorted()).toEqual(declared.toSorted());
    }),
  );
});

test("external services are reachable only for their declared callers", () => {
  fc.assert(
    fc.property(stacks, (services) => {
      for (const { name, callsOutside = [] } of services) {
        const allowed = (specs(services).get(name)?.egress ?? []).flatMap(({ to = [], ports }) =>
          to.flatMap(({ ipBlock }) =>
            ipBlock === undefined ? [] : ports.map(({ port }) => `${ipBlock.cidr}:${port}`),
          ),
        );
        const expected = callsOutside.flatMap((place) =>
          (outside[place]?.addresses ?? ["0.0.0.0/0", "::/0"]).flatMap((cidr) =>
            outside[place]!.ports.map((port) => `${cidr}:${port}`),
          ),
        );
        expect(allowed.toSorted()).toEqual(expected.toSorted());
      }
    }),
  );
});

const familyOf = (address: string) => (isIP(address) === 4 ? "ipv4" : "ipv6");
const within = (address: string, range: string): boolean => {
  const [network = "", length] = range.split("/");
  const list = new BlockList();
  list.addSubnet(network, Number(length), familyOf(network));
  return familyOf(address) === familyOf(network) && list.check(address, familyOf(address));
};

test("a place with a host name has any address except those of the metadata services of clouds", () => {
  const service = describeTestService({ name: "auth-sidecar", callsOutside: ["database"] });
  const blocks = specs([service])
    .get("auth-sidecar")!
    .egress.at(-1)!
    .to!.map(({ ipBlock }) => ipBlock!);
  const reaches = (address: string): boolean =>
    blocks.some(({ cidr, except = [] }) => within(address, cidr) && !except.some((range) => within(address, range)));
  const some = ["192.0.2.1", "10.0.0.1", "2001:db8::1", "fd00::1"];
  expect(some.filter((address) => !reaches(address))).toEqual([]);
  const none = ["169.254.169.254", "169.254.170.23", "fe80::a9fe:a9fe", "fd00:ec2::254", "fd20:ce::254"];
  expect(none.filter(reaches)).toEqual([]);
});

test("an exception is within its block, as the API server requires", () => {
  for (const { ipBlock } of peersOf({ ports: [] }) as { ipBlock: { cidr: string; except: string[] } }[])
    expect(ipBlock.except.filter((range) => !within(range.split("/")[0]!, ipBlock.cidr))).toEqual([]);
});

test("only callers may use DNS, and only the cluster's name servers", () => {
  fc.assert(
    fc.property(stacks, (services) => {
      for (const { name, calls, callsOutside = [] } of services) {
        const asked = (specs(services).get(name)?.egress ?? []).filter(({ ports }) =>
          ports.some(({ port }) => port === 53),
        );
        if (calls.length + callsOutside.length === 0) expect(asked).toEqual([]);
        else {
          expect(asked).toHaveLength(1);
          expect(asked[0]?.to).toEqual([
            {
              namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "kube-system" } },
              podSelector: { matchLabels: { "k8s-app": "kube-dns" } },
            },
          ]);
        }
      }
    }),
  );
});

test("every policy selects one service in both directions, and no rule allows everything", () => {
  fc.assert(
    fc.property(stacks, (services) => {
      for (const [name, spec] of specs(services)) {
        expect(spec.policyTypes).toEqual(["Ingress", "Egress"]);
        expect(nameIn(spec.podSelector.matchLabels)).toBe(name);
        for (const rule of [...spec.ingress, ...spec.egress]) {
          expect(rule.ports.length).toBeGreaterThan(0);
          expect((rule.from ?? rule.to ?? []).length).toBeGreaterThan(0);
        }
      }
    }),
  );
});

test("opens published ports to everyone and no others", () => {
  const gateway = describeTestService({ name: "gateway", ports: [{ internal: 8443, published: 443 }] });
  expect(specs([gateway]).get("gateway")?.ingress).toEqual([{ ports: [{ port: 8443, protocol: "TCP" }] }]);
});

test("opens metrics to the configured namespace only", () => {
  const engine = describeTestService({ metricsPort: 9090 });
  expect(specs([engine]).get("engine")?.ingress).toEqual([]);
  expect(specs([engine], { metricsNamespace: "monitoring" }).get("engine")?.ingress).toEqual([
    {
      from: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "monitoring" } } }],
      ports: [{ port: 9090, protocol: "TCP" }],
    },
  ]);
});

test("opens a Service of the cluster in its namespace only", () => {
  const engine = describeTestService({ callsOutside: ["collector"] });
  expect(
    specs([engine], { outside: { collector: { ports: [4318], namespace: "monitoring" } } })
      .get("engine")
      ?.egress.at(-1),
  ).toEqual({
    to: [{ namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "monitoring" } } }],
    ports: [{ port: 4318, protocol: "TCP" }],
  });
});

test("selects an operator's pods by their labels", () => {
  const engine = describeTestService({ calls: ["database"] });
  const foreign = { database: { pods: { "cnpg.io/cluster": "database" }, ports: [5432] } };
  expect(specs([engine], { foreign }).get("engine")?.egress.at(-1)).toEqual({
    to: [{ podSelector: { matchLabels: { "cnpg.io/cluster": "database" } } }],
    ports: [{ port: 5432, protocol: "TCP" }],
  });
});

test("rejects an edge to an unknown service or place", () => {
  expect(() => specs([describeTestService({ calls: ["database"] })])).toThrow(
    "engine calls database, which nothing runs.",
  );
  const calling = describeTestService({ callsOutside: ["directory"] });
  expect(() => specs([calling], { outside: {} })).toThrow(
    "engine calls directory outside the stack, and nothing says where that is.",
  );
});

test("without another policy all traffic is denied", () => {
  expect(denyAll).toEqual({ podSelector: {}, policyTypes: ["Ingress", "Egress"] });
});

test.each([
  [["ldaps://ldap.example.net"], { ports: [636] }],
  [["ldap://ldap.example.net", "ldaps://ldap.example.net:1636"], { ports: [389, 1636] }],
  [["ldaps://192.0.2.1", "ldaps://[2001:db8::1]"], { ports: [636], addresses: ["192.0.2.1/32", "2001:db8::1/128"] }],
  [["ldaps://192.0.2.1", "ldaps://ldap.example.net"], { ports: [636] }],
  [["postgres://u:p@db.example.net/routes"], { ports: [5432] }],
  [["rediss://:p@192.0.2.9:6380/0"], { ports: [6380], addresses: ["192.0.2.9/32"] }],
  [["redis://:p@sessions.example.net"], { ports: [6379] }],
  [["https://otel.example.net"], { ports: [443] }],
  [["http://otel.monitoring.svc:4318"], { ports: [4318], namespace: "monitoring" }],
  [["http://otel.monitoring.svc.cluster.local"], { ports: [80], namespace: "monitoring" }],
  [["ldaps://a.one.svc", "ldaps://b.two.svc"], { ports: [636] }],
])("%j is reached at %j", (urls, place) => expect(placeOf(urls)).toEqual(place));

test("gives only configured places, without credentials", () => {
  const places = outsidePlaces({
    directory: "ldaps://a.example.net ldaps://b.example.net,ldap://c.example.net",
    database: "postgres://user:hid,den@db/routes",
    collectors: "wss://relay.example.net/?client=a,b",
  });
  expect(places).toEqual({
    directory: { ports: [636, 389] },
    database: { ports: [5432] },
    collectors: { ports: [443] },
  });
  expect(outsidePlaces({})).toEqual({});
});

test("allows name servers of other ports in rules of their own, and caches of a node by address", () => {
  const text = "openshift-dns/dns.operator.openshift.io/daemonset-dns=default:5353,169.254.20.10,fd00::a";
  const spec = specs([describeTestService({ callsOutside: ["database"] })], { nameServers: nameServersOf(text) });
  const port = (number: number) => ["UDP", "TCP"].map((protocol) => ({ port: number, protocol }));
  expect(spec.get("engine")?.egress.slice(0, -1)).toEqual([
    {
      to: [
        {
          namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "openshift-dns" } },
          podSelector: { matchLabels: { "dns.operator.openshift.io/daemonset-dns": "default" } },
        },
      ],
      ports: port(5353),
    },
    { to: [{ ipBlock: { cidr: "169.254.20.10/32" } }, { ipBlock: { cidr: "fd00::a/128" } }], ports: port(53) },
  ]);
});

test("a published port with clients is open to their ranges only", () => {
  const ports = [
    { internal: 8443, published: 443 },
    { internal: 32_000, published: 32_000, clients: ["192.0.2.0/24"] },
  ];
  expect(specs([describeTestService({ name: "gateway", ports })]).get("gateway")?.ingress).toEqual([
    { ports: [{ port: 8443, protocol: "TCP" }] },
    { from: [{ ipBlock: { cidr: "192.0.2.0/24" } }], ports: [{ port: 32_000, protocol: "TCP" }] },
  ]);
});
