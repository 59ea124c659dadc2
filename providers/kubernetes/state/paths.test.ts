import fc from "fast-check";
import { expect, test } from "vitest";
import { differences, differencesAmong, hasUnknown, leaves, valueAt } from "./paths.ts";

const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const json = fc.jsonValue();

test("no value differs from itself, and every leaf is at its path", () => {
  fc.assert(
    fc.property(json, (value) => {
      expect(differences(value, structuredClone(value))).toEqual([]);
      expect(differencesAmong([value], value, structuredClone(value))).toEqual([]);
      for (const path of leaves(value)) expect(valueAt(value, path)).not.toBeUndefined();
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
