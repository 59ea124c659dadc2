import fc from "fast-check";
import { expect, test } from "vitest";
import { makePassword } from "./stand-in.ts";

test("a password has its length, the minimum of each class and no other characters", () => {
  const count = fc.integer({ min: 0, max: 5 });
  const wanted = fc.record({
    length: fc.integer({ min: 20, max: 60 }),
    lower: fc.boolean(),
    upper: fc.boolean(),
    numeric: fc.constant(true),
    special: fc.boolean(),
    minLower: count,
    minUpper: count,
    minNumeric: count,
    minSpecial: count,
  });
  fc.assert(
    fc.property(wanted, (settings) => {
      const password = makePassword(settings);
      const matches = (pattern: RegExp): number => password.match(pattern)?.length ?? 0;
      expect(password).toHaveLength(settings.length);
      for (const [on, least, found] of [
        [settings.lower, settings.minLower, matches(/[a-z]/g)],
        [settings.upper, settings.minUpper, matches(/[A-Z]/g)],
        [settings.numeric, settings.minNumeric, matches(/[0-9]/g)],
        [settings.special, settings.minSpecial, matches(/[^a-zA-Z0-9]/g)],
      ] as const) {
        expect(found).toBeGreaterThanOrEqual(least);
        if (!on && least === 0) expect(found).toBe(0);
      }
    }),
  );
});

test("draws every character of the alphabet about equally often", () => {
  const text = makePassword({ length: 62_000, special: false });
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  expect(counts.size).toBe(62);
  // Expected 1,000 each; a deviation of seven sigma has a probability below 1 in 10^10.
  for (const found of counts.values()) expect(Math.abs(found - 1000)).toBeLessThan(225);
});

test("rejects an impossible password", () => {
  expect(() => makePassword({ length: 3, minLower: 2, minUpper: 2 })).toThrow(/cannot hold the 4/);
  expect(() => makePassword({ length: 3, lower: false, upper: false, numeric: false, special: false })).toThrow(
    /at least one class/,
  );
});
