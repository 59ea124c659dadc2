import fc from "fast-check";
import { expect, test } from "vitest";
import { boundedLabels, secretComparison } from "./rotated-secret.ts";

const until = "2026-01-02T00:00:00Z";
const before = (): number => Date.parse("2026-01-01T23:59:59Z");

test("accepts exactly the current secret", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (current, other) => {
      const compare = secretComparison({ current });
      expect([compare(current), compare(other) === "current"]).toEqual(["current", current === other]);
    }),
  );
});

test("accepts the previous secret until its time, and not without one", () => {
  const secrets = { current: "new", previous: "old" };
  expect(secretComparison({ ...secrets, previousUntil: until }, before)("old")).toBe("previous");
  expect(secretComparison({ ...secrets, previousUntil: until }, () => Date.parse(until))("old")).toBeUndefined();
  expect(secretComparison(secrets, before)("old")).toBeUndefined();
  expect(secretComparison({ ...secrets, previousUntil: until }, before)("older")).toBeUndefined();
});

test("counts labels beyond the first 100 together", () => {
  const bounded = boundedLabels();
  for (let index = 0; index < 100; index++) expect(bounded(`${index}`)).toBe(`${index}`);
  expect([bounded("100"), bounded("5")]).toEqual(["other", "5"]);
});
