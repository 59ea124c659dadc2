import fc from "fast-check";
import { expect, test } from "vitest";
import { appliedBytes, fileBytes, pack, pathsByKey } from "./files.ts";

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
  for (const wrong of ["a b", "", "/a", "ä"])
    expect(() => pathsByKey([wrong])).toThrow("cannot be in a ConfigMap or Secret");
});

const file = fc.option(
  fc.integer({ min: 0, max: fileBytes }).map((bytes) => "x".repeat(bytes)),
  { nil: undefined },
);

test("puts every file into exactly one pack, in order and within the limit", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ minLength: 1 }), file, { maxKeys: 8 }), (files) => {
      const packs = pack(new Map(Object.entries(files)));
      expect(packs.flat()).toEqual(Object.keys(files));
      for (const paths of packs) {
        const bytes = paths.reduce((sum, path) => sum + (files[path]?.length ?? 64 * 1024), 0);
        expect(bytes).toBeLessThanOrEqual(fileBytes);
      }
    }),
    { numRuns: 30 },
  );
});

test("puts small files into one pack", () =>
  expect(
    pack(
      new Map([
        ["a", "1"],
        ["b", "2"],
      ]),
    ),
  ).toEqual([["a", "b"]]));

test("counts bytes, not characters", () => {
  const half = "€".repeat(fileBytes / 4);
  expect(
    pack(
      new Map([
        ["a", half],
        ["b", half],
      ]),
    ),
  ).toEqual([["a"], ["b"]]);
});

test("gives a large file a pack of its own", () => {
  const large = "x".repeat(appliedBytes + 1);
  expect(
    pack(
      new Map([
        ["a", "1"],
        ["large", large],
        ["b", "2"],
      ]),
      appliedBytes,
    ),
  ).toEqual([["a"], ["large"], ["b"]]);
});

test("names a file that is too large", () => {
  expect(() => pack(new Map([["metadata/large.yaml", "x".repeat(fileBytes + 1)]]))).toThrow(
    "The file metadata/large.yaml has 900001 bytes; a ConfigMap takes 900000.",
  );
});
