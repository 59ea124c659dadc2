import { expect, test } from "vitest";
import { makePassword } from "./stand-in.ts";

test.each([
  [{}, /^[\w!@#$%&*()=+[\]{}<>:?-]{60}$/],
  [{ special: false }, /^[a-zA-Z0-9]{60}$/],
  [{ special: false, upper: false, numeric: false }, /^[a-z]{60}$/],
])("a password has its length and only characters of its classes: %j", (classes, expected) => {
  expect(makePassword({ length: 60, ...classes })).toMatch(expected);
});

test("draws every character of the alphabet about equally often", () => {
  const text = makePassword({ length: 62_000, special: false });
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  expect(counts.size).toBe(62);
  // Expected 1,000 each; a deviation of seven sigma has a probability below 1 in 10^10.
  for (const found of counts.values()) expect(Math.abs(found - 1000)).toBeLessThan(225);
});

test("rejects a password without characters", () => {
  expect(() => makePassword({ length: 3, lower: false, upper: false, numeric: false, special: false })).toThrow(
    /at least one class/,
  );
});
