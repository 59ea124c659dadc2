import { expect, test } from "vitest";
import { namedSuites, suites, suitesOf } from "./suites.ts";

const names = (selected: readonly { readonly name: string }[]): string[] => selected.map(({ name }) => name);

test("npm run test:all leaves out the files that npm test runs on another stack", () => {
  const before = suitesOf("test").flatMap(({ also = [] }) => also);
  expect(before).toContain("tests/faults/01-parts.test.ts");
  const faults = suitesOf("test:all").find(({ name }) => name === "faults");
  expect(faults?.without).toEqual(before);
  expect(namedSuites(["faults"])[0]?.without).toBeUndefined();
});

test("the search for secrets runs last", () => {
  expect(names(suitesOf("test:all")).at(-1)).toBe("secrets");
});

test("an unknown name is an error that lists the known ones", () => {
  expect(() => namedSuites(["unti"])).toThrow(`unknown suite unti; there are ${names(suites).join(", ")}`);
});
