import fc from "fast-check";
import { expect, test } from "vitest";
import { parseJsonPath, valueAtPath } from "./json-path.ts";

test.each<[string, readonly (string | number)[]]>([
  ["$", []],
  ["$.a", ["a"]],
  ["a.b", ["a", "b"]],
  ["$.a-b._c1", ["a-b", "_c1"]],
  ["$['a b'].c", ["a b", "c"]],
  ['$["https://a.example/b"]', ["https://a.example/b"]],
  ["$.roles[0][12]", ["roles", 0, 12]],
])("%s leads along %j", (text, path) => {
  expect(parseJsonPath(text)).toEqual(path);
});

test.each(["$.", "$..a", "$.*", "$[*]", "$['a", "$[a]", "$[-1]", "$.a b", "$x", ""])("%j is no path", (text) => {
  expect(() => parseJsonPath(text)).toThrow("not a JSON path");
});

test("a path to a key that exists finds its value, whatever the key", () => {
  const keys = fc.string({ minLength: 1 }).filter((key) => !key.includes("'"));
  fc.assert(
    fc.property(keys, fc.jsonValue(), (key, value) => {
      const object = Object.fromEntries([[key, value]]);
      expect(valueAtPath(object, parseJsonPath(`$['${key}']`))).toEqual(value);
    }),
  );
});

test("a path that leaves the data finds nothing", () => {
  expect(valueAtPath({ a: [1] }, ["a", 1])).toBeUndefined();
  expect(valueAtPath({ a: null }, ["a", "b"])).toBeUndefined();
  expect(valueAtPath({ a: "text" }, ["a", "length"])).toBeUndefined();
  expect(valueAtPath({}, ["constructor"])).toBeUndefined();
});
