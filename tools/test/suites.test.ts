import { expect, test } from "vitest";
import { selectSuites, suites } from "./suites.ts";

test("without a name every suite that has a test runs, the quick ones first", () => {
  expect(selectSuites([]).slice(0, 3).map(({ name }) => name)).toEqual(["types", "lint", "unit"]);
});

test("named suites run in running order, not in the order given", () => {
  expect(selectSuites(["e2e", "types"]).map(({ name }) => name)).toEqual(["types", "e2e"]);
});

test("a named suite is selected even when it has no test yet, so that it fails instead of being left out", () => {
  expect(selectSuites(["conformance"]).map(({ name }) => name)).toEqual(["conformance"]);
});

test("an unknown name is an error that lists the known ones", () => {
  expect(() => selectSuites(["unti"])).toThrow(`unknown suite unti; there are ${suites.map(({ name }) => name).join(", ")}`);
});
