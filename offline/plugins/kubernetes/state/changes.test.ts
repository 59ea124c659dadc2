import fc from "fast-check";
import { expect, test } from "vitest";
import { field } from "@routeql/host/kubernetes/objects";
import { differences, differencesAmong, hasUnknown, leaves, replacingPaths } from "./changes.ts";

const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const json = fc.jsonValue();

test("no value differs from itself, and every leaf is at its path", () => {
  fc.assert(
    fc.property(json, (value) => {
      expect(differences(value, structuredClone(value))).toEqual([]);
      expect(differencesAmong([value], value, structuredClone(value))).toEqual([]);
      for (const path of leaves(value)) expect(field(value, ...path)).not.toBeUndefined();
    }),
  );
});

test.each([
  ["a value", { spec: { replicas: 1 } }, { spec: { replicas: 2 } }, ["spec.replicas"]],
  ["a removed field", { spec: { a: 1, b: 2 } }, { spec: { a: 1 } }, ["spec.b"]],
  ["an entry of a list", { list: [{ a: 1 }, { a: 2 }] }, { list: [{ a: 1 }, { a: 3 }] }, ["list.1.a"]],
  ["a list of another length, as a whole", { list: [1] }, { list: [1, 2] }, ["list"]],
  ["nothing where a field has no value", { a: undefined, b: null }, {}, []],
  ["an unknown value", { a: { b: 1 } }, { a: unknown }, ["a"]],
])("finds the smallest differing paths: %s", (_title, left, right, expected) => {
  expect(differences(left, right).map((path) => path.join("."))).toEqual(expected);
});

test("compares only declared fields and those declared before", () => {
  const live = { spec: { replicas: 1, paused: true, added: "by the server" } };
  const wanted = { spec: { replicas: 1 } };
  expect(differencesAmong([{ spec: { replicas: 1 } }], live, wanted)).toEqual([]);
  expect(differencesAmong([{ spec: { replicas: 1 } }, { spec: { paused: true } }], live, wanted)).toEqual([
    ["spec", "paused"],
  ]);
});

test("finds unknown values at every depth", () => {
  expect(hasUnknown({ a: [{ b: unknown }] })).toBe(true);
  expect(hasUnknown({ a: [{ b: "known" }] })).toBe(false);
});

test.each([
  ["apps/v1", "Deployment", "spec.template.spec.containers.0.image", false],
  ["apps/v1", "Deployment", "spec.selector.matchLabels.app", true],
  ["apps/v1", "StatefulSet", "spec.volumeClaimTemplates.0.spec.resources.requests.storage", true],
  ["apps/v1", "StatefulSet", "spec.template.spec.containers.0.image", false],
  ["batch/v1", "Job", "spec.template.spec.containers.0.args", true],
  ["batch/v1", "Job", "spec.backoffLimit", false],
  ["v1", "ConfigMap", "data.file", true],
  ["v1", "Secret", "stringData.word", true],
  ["v1", "Secret", "metadata.labels.a", false],
  ["v1", "Service", "spec.clusterIP", true],
  ["v1", "Service", "spec.ports.0.port", false],
  ["networking.k8s.io/v1", "NetworkPolicy", "spec.ingress", false],
  ["example.net/v1", "Deployment", "spec.selector", false],
  ["example.net/v1", "Thing", "metadata.name", true],
  ["example.net/v1", "Thing", "metadata.namespace", true],
  // An unknown value around such a field.
  ["apps/v1", "Deployment", "spec", true],
])("%s %s: a change of %s replaces it: %s", (apiVersion, kind, path, replaces) => {
  expect(replacingPaths({ apiVersion, kind }, [path.split(".")]).length > 0).toBe(replaces);
});
