import { expect, test } from "vitest";
import { selectSuites, suites } from "./suites.ts";

test("without a name every suite that has a test runs, the quick ones first", () => {
  expect(selectSuites([]).slice(0, 4).map(({ name }) => name)).toEqual(["types", "lint", "site", "unit"]);
});

test("named suites run in running order, not in the order given", () => {
  expect(selectSuites(["e2e", "types"]).map(({ name }) => name)).toEqual(["types", "e2e"]);
});

test("selects a named suite without tests, so that it fails", () => {
  expect(selectSuites(["conformance"]).map(({ name }) => name)).toEqual(["conformance"]);
});

test("a suite that waits to be named runs only then", () => {
  expect(selectSuites([]).map(({ name }) => name)).not.toContain("machines");
  expect(selectSuites(["machines"]).map(({ name }) => name)).toEqual(["machines"]);
});

test("an unknown name is an error that lists the known ones", () => {
  expect(() => selectSuites(["unti"])).toThrow(`unknown suite unti; there are ${suites.map(({ name }) => name).join(", ")}`);
});
