import { expect, test } from "vitest";
import { namedSuites, oneRun, type Suite, suites, suitesOf } from "./suites.ts";

const names = (selected: readonly { readonly name: string }[]): string[] => selected.map(({ name }) => name);

const without = (selected: readonly Suite[], name: string): readonly string[] | undefined =>
  selected.find((suite) => suite.name === name)?.without?.files;

test("npm run test:all has every suite except those that run only by name", () => {
  const byName = new Set(["year", "clients", "machines", "official-images"]);
  expect(names(suitesOf("test:all"))).toEqual(names(suites).filter((name) => !byName.has(name)));
  expect(names(suitesOf("test"))).toEqual(names(suites).slice(0, suitesOf("test").length));
});

test("beside main-faults, faults and hostile leave out the files that it runs", () => {
  const all = oneRun(suitesOf("test:all"), () => true);
  expect(without(all, "faults")).toContain("tests/faults/01-parts.test.ts");
  expect(without(all, "hostile")).toEqual(without(all, "faults"));
  expect(without(all, "main-faults")).toBeUndefined();
  expect(
    without(
      oneRun(namedSuites(["faults"]), () => true),
      "faults",
    ),
  ).toBeUndefined();
});

test("where main-faults cannot run, hostile keeps its own files", () => {
  expect(
    without(
      oneRun(suitesOf("test:all"), ({ needsRoot }) => needsRoot === undefined),
      "hostile",
    ),
  ).toBeUndefined();
});

test("the search for secrets runs last", () => {
  expect(names(suitesOf("test:all")).at(-1)).toBe("secrets");
});

test("an unknown name is an error that lists the known ones", () => {
  expect(() => namedSuites(["unti"])).toThrow(`unknown suite unti; there are ${names(suites).join(", ")}`);
});
