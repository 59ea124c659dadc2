import { expect, test } from "vitest";
import { describeStack, describeTestService } from "../../testing/descriptions.ts";
import { networksOf } from "./networks.ts";

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
  expect(edge).toEqual([{ name: "edge", members: ["gateway"], internal: false }]);
});
