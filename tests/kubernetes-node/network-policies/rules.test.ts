import type { V1NetworkPolicySpec, V1Pod } from "@kubernetes/client-node";
import { expect, test } from "vitest";
import { type Cluster, ruleset, rulesFor } from "./rules.ts";

const pod = (name: string, ip: string, labels: Record<string, string>, namespace = "one"): V1Pod => ({
  metadata: { name, namespace, labels },
  spec: { containers: [{ name, ports: [{ name: "web", containerPort: 8080 }] }] },
  status: { podIP: ip, phase: "Running" },
});

const a = pod("a", "10.244.0.2", { app: "a" });
const b = pod("b", "10.244.0.3", { app: "b" });
const far = pod("far", "10.244.0.4", { app: "a" }, "two");
const done = pod("done", "10.244.0.5", { app: "a" });
done.status!.phase = "Succeeded";

/** In the form of watched objects, in which the client renames no field. */
const cluster = (...specs: object[]): Cluster => ({
  namespaces: [
    { metadata: { name: "one", labels: { team: "one" } } },
    { metadata: { name: "two", labels: { team: "two" } } },
  ],
  pods: [a, b, far, done],
  policies: specs.map((spec, index) => ({
    metadata: { name: `p${index}`, namespace: "one" },
    spec: spec as V1NetworkPolicySpec,
  })),
});
const ofB = (...ingress: object[]): object => ({ podSelector: { matchLabels: { app: "b" } }, ingress });

test("allows an unselected pod everything and a pod selected without rules nothing", () => {
  expect(rulesFor(cluster(), b, "ingress")).toBeUndefined();
  expect(rulesFor(cluster(ofB()), a, "ingress")).toBeUndefined();
  expect(rulesFor(cluster(ofB()), b, "egress")).toBeUndefined();
  expect(rulesFor(cluster(ofB()), b, "ingress")).toEqual([]);
});

test.each([
  [
    "pods of the same namespace",
    { from: [{ podSelector: { matchLabels: { app: "a" } } }] },
    ["ip saddr 10.244.0.2 return"],
  ],
  [
    "the same, as the client lists it",
    { _from: [{ podSelector: { matchLabels: { app: "a" } } }] },
    ["ip saddr 10.244.0.2 return"],
  ],
  ["namespaces", { from: [{ namespaceSelector: { matchLabels: { team: "two" } } }] }, ["ip saddr 10.244.0.4 return"]],
  [
    "namespaces and pods in them",
    {
      from: [
        { namespaceSelector: {}, podSelector: { matchExpressions: [{ key: "app", operator: "In", values: ["a"] }] } },
      ],
    },
    ["ip saddr 10.244.0.2 return", "ip saddr 10.244.0.4 return"],
  ],
  [
    "addresses with exceptions",
    { from: [{ ipBlock: { cidr: "192.0.2.0/24", except: ["192.0.2.7/32"] } }] },
    ["ip saddr 192.0.2.0/24 ip saddr != { 192.0.2.7/32 } return"],
  ],
  ["all clients on one port", { ports: [{ port: 80 }] }, ["tcp dport 80 return"]],
  [
    "ports by range, by name and of another protocol",
    { ports: [{ port: 1, endPort: 9 }, { port: "web" }, { port: 53, protocol: "UDP" }] },
    ["tcp dport 1-9 return", "tcp dport 8080 return", "udp dport 53 return"],
  ],
  ["no client, by the name of a missing port", { ports: [{ port: "other" }] }, []],
  ["everybody", {}, ["return"]],
])("the effect of a rule: %s", (_title, rule, expected) => {
  expect(rulesFor(cluster(ofB(rule)), b, "ingress")).toEqual(expected);
});

test("several policies add up, separately for each direction", () => {
  const egress = {
    podSelector: {},
    policyTypes: ["Egress"],
    egress: [{ to: [{ podSelector: { matchLabels: { app: "b" } } }], ports: [{ port: "web" }] }],
  };
  const both = cluster(ofB({ ports: [{ port: 80 }] }), ofB({ ports: [{ port: 81 }] }), egress);
  expect(rulesFor(both, b, "ingress")).toEqual(["tcp dport 80 return", "tcp dport 81 return"]);
  expect(rulesFor(both, a, "egress")).toEqual(["ip daddr 10.244.0.3 tcp dport 8080 return"]);
  expect(rulesFor(both, a, "ingress")).toBeUndefined();
});

test("replaces the table in one transaction, without ended pods", () => {
  const text = ruleset(cluster({ podSelector: {}, policyTypes: ["Ingress"] }));
  expect(text).toMatch(/^table inet routeql-network-policies\ndelete table inet routeql-network-policies\n/);
  expect(text).toContain("ip daddr 10.244.0.2 jump ingress-10-244-0-2");
  expect(text).not.toContain("10.244.0.5");
  expect(text).not.toContain("10.244.0.4");
});

test("traffic of pods to the node itself passes the same rules", () => {
  const text = ruleset(cluster({ podSelector: { matchLabels: { app: "a" } }, policyTypes: ["Egress"] }));
  const [, input = ""] = text.split("chain input");
  expect(input).toContain("type filter hook input");
  expect(input).toContain("ct state established,related accept");
  expect(input).toContain("ip saddr 10.244.0.2 jump egress-10-244-0-2");
});
