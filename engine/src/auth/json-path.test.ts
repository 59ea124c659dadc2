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
])("%s selects %j", (text, path) => {
  expect(parseJsonPath(text)).toEqual(path);
});

test.each(["$.", "$..a", "$.*", "$[*]", "$['a", "$[a]", "$[-1]", "$.a b", "$x", ""])("rejects %j as a path", (text) => {
  expect(() => parseJsonPath(text)).toThrow("not a JSON path");
});

test("the path of an existing key finds its value, for any key", () => {
  const keys = fc.string({ minLength: 1 }).filter((key) => !key.includes("'"));
  fc.assert(
    fc.property(keys, fc.jsonValue(), (key, value) => {
      const object = Object.fromEntries([[key, value]]);
      expect(valueAtPath(object, parseJsonPath(`$['${key}']`))).toEqual(value);
    }),
  );
});

test("a path outside of the data finds nothing", () => {
  expect(valueAtPath({ a: [1] }, ["a", 1])).toBeUndefined();
  expect(valueAtPath({ a: null }, ["a", "b"])).toBeUndefined();
  expect(valueAtPath({ a: "text" }, ["a", "length"])).toBeUndefined();
  expect(valueAtPath({}, ["constructor"])).toBeUndefined();
});
