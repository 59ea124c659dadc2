import fc from "fast-check";
import { expect, test } from "vitest";
import { pack, packBytes } from "./packing.ts";

const file = fc.option(
  fc.integer({ min: 0, max: packBytes }).map((bytes) => "x".repeat(bytes)),
  { nil: undefined },
);

test("puts every file into exactly one pack, in order and within the limit", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ minLength: 1 }), file, { maxKeys: 8 }), (files) => {
      const packs = pack(new Map(Object.entries(files)));
      expect(packs.flat()).toEqual(Object.keys(files));
      for (const paths of packs) {
        const bytes = paths.reduce((sum, path) => sum + (files[path]?.length ?? 64 * 1024), 0);
        expect(bytes).toBeLessThanOrEqual(packBytes);
      }
    }),
    { numRuns: 30 },
  );
});

test("puts small files into one pack", () => expect(pack(new Map([["a", "1"], ["b", "2"]]))).toEqual([["a", "b"]]));

test("counts bytes, not characters", () => {
  const half = "€".repeat(packBytes / 4);
  expect(pack(new Map([["a", half], ["b", half]]))).toEqual([["a"], ["b"]]);
});

test("names a file that is too large", () => {
  expect(() => pack(new Map([["metadata/large.yaml", "x".repeat(packBytes + 1)]]))).toThrow(
    "The file metadata/large.yaml has 900001 bytes; a ConfigMap takes 900000.",
  );
});
