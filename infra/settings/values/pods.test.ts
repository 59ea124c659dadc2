import { expect, test } from "vitest";
import { parseValue } from "../reading/parse.ts";
import { podsOf } from "./pods.ts";

test("reads the form of Kubernetes from YAML and JSON, with sizes as numbers", () => {
  const text = "{engine: {resources: {requests: {cpu: 500m, memory: 2Gi}, limits: {cpu: none}}}}";
  const expected = { requests: { cpu: 500, memory: 2048 }, limits: { cpu: "none" } };
  expect(podsOf(text)("engine").resources).toEqual(expected);
  const json = JSON.stringify({ engine: { resources: { requests: { cpu: 0.25 } } } });
  expect(podsOf(json)("engine").resources).toEqual({ requests: { cpu: 250 }, limits: {} });
});

test("joins names of a service with those of all, and replaces lists", () => {
  const of = podsOf(
    JSON.stringify({
      all: {
        labels: { team: "a", tier: "b" },
        tolerations: [{ key: "spot", operator: "Exists" }],
        resources: { limits: { cpu: "none" } },
      },
      database: { labels: { tier: "data" }, tolerations: [], resources: { requests: { memory: "4Gi" } } },
    }),
  );
  expect(of("database")).toMatchObject({
    labels: { team: "a", tier: "data" },
    tolerations: [],
    resources: { requests: { memory: 4096 }, limits: { cpu: "none" } },
  });
  expect(of("gateway")).toMatchObject({ labels: { team: "a", tier: "b" }, tolerations: [{ key: "spot" }] });
  expect(podsOf(undefined)("gateway")).toMatchObject({ labels: {}, resources: { requests: {}, limits: {} } });
});

test.each([
  ["engine", "must hold settings by service, such as"],
  ["{engin: {}}", "has the unknown key engin; is engine meant?"],
  ["{engine: {label: {a: b}}}", "has the unknown key engine.label; is labels meant?"],
  ["{engine: {affinity: {nodes: 1}}}", "has the unknown key engine.affinity.nodes"],
  ["{all: {labels: {app.kubernetes.io/name: x}}}", "which must not be one of the stack's own labels"],
  ["{all: {labels: {cnpg.io/cluster: database}}}", "which must not be one of the stack's own labels"],
  ["{all: {labels: {a: true}}}", "has at all.labels.a a value that must be a text; put it into quotes"],
  [
    "{engine: {resources: {requests: {cpu: 1.5m}}}}",
    'has at engine.resources.requests.cpu a value that must be processors such as 500m or 2, not "1.5m"',
  ],
  [
    "{engine: {resources: {limits: {cpu: all}}}}",
    'has at engine.resources.limits.cpu a value that must be processors such as 500m or 2, not "all"',
  ],
  ["{engine: {resources: {limits: {memory: 512M}}}}", 'must be a size such as 512Mi or 2Gi, not "512M"'],
  ["{all: {tolerations: [{operator: Equal}]}}", "must have a key, or the operator Exists"],
  [
    "{all: {topologySpreadConstraints: [{topologyKey: rack}]}}",
    "has at all.topologySpreadConstraints.0.whenUnsatisfiable",
  ],
  [`{all: {labels: {${"a".repeat(64)}: x}}}`, "which must be a name of at most 63 letters"],
  [
    "{engine: {priorityClassName: a/B}}",
    "has at engine.priorityClassName a value that must be a name of small letters",
  ],
  ["{all: [", "is not readable"],
])("rejects %s", (text, problem) => {
  expect(parseValue("pods", text)).toEqual({ problem: expect.stringContaining(problem) as string });
});
