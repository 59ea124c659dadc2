import { join } from "node:path";
import { expect, test } from "vitest";
import { brokenRule, type Package, readPackages, repository } from "./packages.ts";

const library = (
  name: string,
  folder: string,
  dependencies: readonly string[] = [],
  devDependencies: readonly string[] = [],
): Package => ({
  name,
  folder,
  dependencies: new Set(dependencies),
  devDependencies: new Set(devDependencies),
  published: false,
});
const packages = [
  library("@routeql/low", "packages/low", [], ["@routeql/high"]),
  library("@routeql/middle", "middle", ["@routeql/low"]),
  library("@routeql/high", "high", ["@routeql/middle"]),
];
const broken = (file: string, specifier: string) => brokenRule(packages, join(repository, file), specifier);

test.each([
  ["a file of the same package", "middle/src/one.ts", "../two.ts"],
  ["a package that package.json lists", "middle/src/one.ts", "@routeql/low/things"],
  ["a library", "middle/src/one.ts", "zod"],
  ["a development dependency, from a test", "packages/low/one.test.ts", "@routeql/high"],
])("allows %s", (_, file, specifier) => {
  expect(broken(file, specifier)).toBeUndefined();
});

test.each([
  ["a relative path out of the package", "middle/src/one.ts", "../../high/two.ts", "leaves the package"],
  ["a package that package.json does not list", "packages/low/one.ts", "@routeql/middle", "does not list"],
  ["a development dependency, from code", "packages/low/one.ts", "@routeql/high", "does not list"],
])("rejects %s", (_, file, specifier, message) => {
  expect(broken(file, specifier)).toContain(message);
});

test("rejects an import that creates a cycle of packages", () => {
  const cyclic = [library("@routeql/one", "one", ["@routeql/two"]), library("@routeql/two", "two", ["@routeql/one"])];
  expect(brokenRule(cyclic, join(repository, "one/a.ts"), "@routeql/two")).toContain("cycle of packages");
});

test("lists every workspace package, and packages/contract imports none", () => {
  const known = readPackages();
  expect(known.map(({ folder }) => folder)).toEqual(
    expect.arrayContaining(["packages/contract", "packages/metadata", "engine", "infra", "cli", "tests"]),
  );
  const contract = known.find(({ folder }) => folder === "packages/contract");
  expect([...(contract?.dependencies ?? [])].filter((name) => name.startsWith("@routeql/"))).toEqual([]);
});
