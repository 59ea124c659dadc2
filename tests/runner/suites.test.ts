import { expect, test } from "vitest";
import { selectSuites, suites } from "./suites.ts";

test("without a name every suite with tests runs, the fast ones first", () => {
  expect(
    selectSuites([])
      .slice(0, 4)
      .map(({ name }) => name),
  ).toEqual(["types", "lint", "site", "unit"]);
});

test("named suites run in the standard order, not in the given order", () => {
  expect(selectSuites(["e2e", "types"]).map(({ name }) => name)).toEqual(["types", "e2e"]);
});

test("selects a named suite without tests, so that it fails", () => {
  expect(selectSuites(["conformance"]).map(({ name }) => name)).toEqual(["conformance"]);
});

test("an optional suite runs only by name", () => {
  for (const name of ["machines", "official-images"]) {
    expect(selectSuites([]).map((suite) => suite.name)).not.toContain(name);
    expect(selectSuites([name]).map((suite) => suite.name)).toEqual([name]);
  }
});

test("an unknown name is an error that lists the known ones", () => {
  expect(() => selectSuites(["unti"])).toThrow(
    `unknown suite unti; there are ${suites.map(({ name }) => name).join(", ")}`,
  );
});
