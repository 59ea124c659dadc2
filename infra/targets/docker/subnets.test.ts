import fc from "fast-check";
import { expect, test } from "vitest";
import { describeStack } from "../../testing/descriptions.ts";
import { overlap, parseRange } from "../../settings/values/ipv4-range.ts";
import { networksOf } from "./networks.ts";
import { assignSubnets } from "./subnets.ts";

const network = (name: string, members = 2) => ({ name, members: Array.from({ length: members }) });
const range = "192.168.200.0/24";

test("new networks take the first free subnets, with the host at the first address", () => {
  const assigned = assignSubnets(range, {}, [network("a-b"), network("metrics", 10), network("b-c")]);
  expect(Object.fromEntries(assigned)).toEqual({
    "a-b": { subnet: "192.168.200.0/29", gateway: "192.168.200.1" },
    metrics: { subnet: "192.168.200.16/28", gateway: "192.168.200.17" },
    "b-c": { subnet: "192.168.200.8/29", gateway: "192.168.200.9" },
  });
});

test("networks keep their subnets, and none takes that of a network that the update removes", () => {
  const held = { removed: "192.168.200.0/28", "b-c": "192.168.200.16/28" };
  const assigned = assignSubnets(range, held, [network("a-b"), network("b-c")]);
  expect(assigned.get("b-c")).toEqual({ subnet: "192.168.200.16/28", gateway: "192.168.200.17" });
  expect(assigned.get("a-b")?.subnet).toBe("192.168.200.32/29");
});

test("networks of a full range take subnets of the second one", () => {
  const held = Object.fromEntries(
    Array.from({ length: 16 }, (_item, index) => [`n-${index}`, `192.168.200.${16 * index}/28`]),
  );
  expect(assignSubnets(range, held, [network("a-b")]).size).toBe(0);
  expect(assignSubnets(`${range}, 10.1.0.0/24`, held, [network("a-b")]).get("a-b")?.subnet).toBe("10.1.0.0/29");
});

test("networks outside of the ranges move into them", () => {
  expect(assignSubnets(range, { "a-b": "10.9.0.0/28" }, [network("a-b")]).get("a-b")?.subnet).toBe("192.168.200.0/29");
});

test("subnets never overlap, and a network keeps its subnet whatever comes and goes", () => {
  const names = fc.uniqueArray(fc.integer({ min: 0, max: 30 }), { maxLength: 20 });
  const sizes = (chosen: readonly number[]) => chosen.map((index) => network(`n-${index}`, index % 7));
  fc.assert(
    fc.property(names, names, (first, second) => {
      const before = assignSubnets("10.0.0.0/23", {}, sizes(first));
      const held = Object.fromEntries([...before].map(([name, { subnet }]) => [name, subnet]));
      const after = assignSubnets("10.0.0.0/23", held, sizes(second));
      expect(after.size).toBe(second.length);
      const present = new Map([...before, ...after]);
      for (const [name, { subnet }] of before) expect(present.get(name)?.subnet).toBe(subnet);
      const ranges = [...present.values()].map(({ subnet }) => parseRange(subnet)!);
      for (const [index, one] of ranges.entries())
        for (const other of ranges.slice(index + 1)) expect(overlap(one, other)).toBe(false);
    }),
  );
});

test("a /24 has room for a stack with everything", () => {
  const services = describeStack({
    engine: "hasura",
    archive: true,
    monitoring: "stack",
    grafanaImage: "grafana/grafana:12.0.0",
    ldapUrl: "ldaps://directory.example.net",
    traceEndpoint: "http://192.0.2.10:4318",
  });
  const networks = networksOf(services);
  expect(networks.length).toBeGreaterThan(12);
  expect(assignSubnets(range, {}, networks).get("edge")?.subnet).toMatch("/28");
  expect(assignSubnets(range, {}, networks).size).toBe(networks.length);
});
