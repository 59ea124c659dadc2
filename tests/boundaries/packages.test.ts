import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { products } from "./products.ts";
import { repository } from "../harness/repository.ts";
import { brokenRule, type Package, readPackages } from "./packages.ts";

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
  library("@routeql/low", "packages/low", [], ["@routeql/beside"]),
  library("@routeql/beside", "packages/beside"),
  library("@routeql/middle", "middle", ["@routeql/low", "zod"]),
  library("@routeql/high", "high", ["@routeql/middle"]),
  library("@routeql/host", "packages/host"),
  library("@routeql/engine", "engine", ["@routeql/host", "@scope/pg"], ["@routeql/cli", "execa"]),
  library("@routeql/offline", "offline", ["@routeql/host"], ["@routeql/above"]),
  library("@routeql/above", "nginx"),
  library("@routeql/cli", "cli", ["@routeql/engine", "@routeql/offline"]),
  library("@routeql/tests", "tests", ["@routeql/cli", "@routeql/offline"]),
];
const broken = (file: string, specifier: string) => brokenRule(packages, join(repository, file), specifier);

test.each([
  ["a file of the same package", "middle/src/one.ts", "../two.ts"],
  ["a package that package.json lists", "middle/src/one.ts", "@routeql/low/things"],
  ["a library", "middle/src/one.ts", "zod"],
  ["a module of a library, below the command", "engine/one.ts", "@scope/pg/lib/pool.js"],
  ["a development dependency, from a test below the command", "engine/one.test.ts", "execa"],
  ["an unlisted library, in a package that the command does not need", "high/one.ts", "vite"],
  ["a module of Node", "engine/one.ts", "node:fs"],
  ["a development dependency, from a test", "packages/low/one.test.ts", "@routeql/beside"],
  ["the interface of a product below", "cli/one.ts", "@routeql/offline"],
  ["a test support module, from a test", "cli/one.test.ts", "@routeql/engine/testing/server"],
  ["any module of a product below, from tests/", "tests/one.test.ts", "@routeql/offline/plugins/start"],
])("allows %s", (_, file, specifier) => {
  expect(broken(file, specifier)).toBeUndefined();
});

test.each([
  ["a relative path out of the package", "middle/src/one.ts", "../../high/two.ts", "leaves the package"],
  ["a package that package.json does not list", "packages/low/one.ts", "@routeql/middle", "does not list"],
  ["a development dependency, from code", "packages/low/one.ts", "@routeql/beside", "does not list"],
  ["an upward import, also from a test", "engine/one.test.ts", "@routeql/cli", "cycle of packages"],
  ["a product above, without a cycle", "offline/one.test.ts", "@routeql/above", "may not import the kit"],
  ["a module beside the interface of a product", "cli/one.ts", "@routeql/offline/plugins/start", "one interface"],
  ["a library that npm run up does not install", "engine/one.ts", "execa", "is not in the dependencies of engine/"],
  ["an unlisted library, from the command", "cli/one.ts", "vite", "`npm run up` does not install it"],
  ["a test support module, from code", "cli/one.ts", "@routeql/engine/testing/server", "for tests only"],
])("rejects %s", (_, file, specifier, message) => {
  expect(broken(file, specifier)).toContain(message);
});

test("rejects an import that creates a cycle of packages", () => {
  const cyclic = [library("@routeql/one", "one", ["@routeql/two"]), library("@routeql/two", "two", ["@routeql/one"])];
  expect(brokenRule(cyclic, join(repository, "one/a.ts"), "@routeql/two")).toContain("cycle of packages");
});

test("every workspace package belongs to one product", () => {
  for (const { folder } of readPackages())
    expect(products.filter(({ folders }) => folders.includes(folder)).length, folder).toBe(1);
});

test("lists every workspace package, and packages/contract imports none", () => {
  const known = readPackages();
  expect(known.map(({ folder }) => folder)).toEqual(
    expect.arrayContaining(["packages/contract", "packages/metadata", "engine", "infra", "cli", "tests"]),
  );
  const contract = known.find(({ folder }) => folder === "packages/contract");
  expect([...(contract?.dependencies ?? [])].filter((name) => name.startsWith("@routeql/"))).toEqual([]);
});

test.each(readPackages())("package.json of $name has each key once", ({ folder }) => {
  const text = readFileSync(join(repository, folder, "package.json"), "utf8");
  // JSON.parse keeps the last of two equal keys.
  expect(() => parse(text) as unknown).not.toThrow();
});
