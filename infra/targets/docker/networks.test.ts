import { ComponentResource } from "@pulumi/pulumi";
import { afterAll, expect, test, vi } from "vitest";
import { describeStack, describeTestService } from "../../testing/descriptions.ts";
import { find, recordStack } from "../../testing/recorded-stack.ts";

vi.mock("./host-mtu.ts", () => ({ smallMtu: () => 1400, mtuOptions: vi.fn().mockResolvedValue(undefined) }));
// Files of one process share modules: another file may have loaded this one without the replacement, and must not get this one's.
vi.resetModules();
const { connect, networksOf } = await import("./networks.ts");
afterAll(() => void vi.resetModules());

test("each call edge has an internal network of its two services", () => {
  const services = [
    describeTestService({ name: "migrate", calls: ["grafana"] }),
    describeTestService({ name: "grafana", callsOutside: ["directory", "receiver"] }),
  ];
  expect(networksOf(services)).toEqual([
    { name: "migrate-grafana", members: ["migrate", "grafana"], internal: true },
    { name: "grafana-directory", members: ["grafana"], internal: false },
    { name: "monitoring-edge", members: ["grafana"], internal: false },
  ]);
});

test("only the gateway joins the network of published ports", () => {
  const edge = networksOf(describeStack({ monitoring: "stack" })).filter(({ name }) => name === "edge");
  expect(edge).toMatchObject([{ members: ["gateway"], internal: false }]);
});

test("a network that exists without an option gets no input for it, which would replace it", async () => {
  const services = [describeTestService({ name: "gateway", ports: [{ internal: 8443, published: 443 }] })];
  const scope = { prefix: "routeql-local", stack: "local", named: (part: string) => part };
  const resources = await recordStack(() =>
    connect(services, scope, new ComponentResource("routeql:test:Parent", "p")),
  );
  expect(find(resources, "docker:index/network:Network", "edge").inputs).not.toHaveProperty("options");
});
