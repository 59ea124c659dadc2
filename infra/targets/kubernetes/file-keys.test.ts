import fc from "fast-check";
import { expect, test } from "vitest";
import { pathsByKey } from "./file-keys.ts";

const step = fc.stringMatching(/^[a-z0-9][-a-z0-9_]{0,10}(\.[a-z]{1,4})?$/);
const path = fc.array(step, { minLength: 1, maxLength: 5 }).map((steps) => steps.join("/"));

test("gives every path a valid key and finds it again", () => {
  fc.assert(
    fc.property(fc.uniqueArray(path), (paths) => {
      const keys = pathsByKey(paths);
      expect([...keys.values()]).toEqual(paths);
      for (const key of keys.keys()) expect(key).toMatch(/^[-._a-zA-Z0-9]{1,253}$/);
    }),
  );
});

test("rejects paths with equal keys and a path without a valid key", () => {
  expect(() => pathsByKey(["a/b", "a..b"])).toThrow("The files a/b and a..b have the same key in a ConfigMap: a..b.");
  for (const wrong of ["a b", "", "/a", "ä"]) expect(() => pathsByKey([wrong])).toThrow("cannot be in a ConfigMap or Secret");
});
