import { existsSync } from "node:fs";
import { join, posix } from "node:path";
import { expect, test } from "vitest";
import { repository } from "../harness/repository.ts";
import { listedFiles } from "./listed-files.ts";
import { brokenRule, readPackages } from "./packages.ts";
import { roomOf, rooms } from "./rooms.ts";

const packages = readPackages();
const files = listedFiles("*.ts", "*.tsx", "*.mjs", "*.js");
const source = files.filter((path) => !/\.test\.tsx?$/.test(path));

test("every entry of the order exists", () => {
  const entries = Object.entries(rooms).flatMap(([folder, list]) => list.map((entry) => posix.join(folder, entry)));
  expect(entries.filter((entry) => !existsSync(join(repository, entry)))).toEqual([]);
});

test("every source file of a package has a place in the order", () => {
  const missing = packages.flatMap(({ folder }) =>
    source.filter(
      (path) => path.startsWith(`${folder}/`) && roomOf(folder, posix.relative(folder, path)) === undefined,
    ),
  );
  expect(missing).toEqual([]);
});

test.each([
  ["down", "engine/src/execution/plan/one.ts", "../../sql/two.ts"],
  ["inside a folder", "engine/src/sql/one.ts", "./two.ts"],
  ["up from a test", "engine/src/sql/one.test.ts", "../schema/two.ts"],
  ["up from a module for tests", "engine/src/lifecycle/testing/one.ts", "../../main.ts"],
])("allows an import %s", (_, file, specifier) => {
  expect(brokenRule(packages, join(repository, file), specifier)).toBeUndefined();
});

test.each([
  ["a folder above", "engine/src/sql/one.ts", "../schema/two.ts"],
  ["the folder around it, which is above", "engine/src/execution/plan/one.ts", "../two.ts"],
  ["a file above", "offline/plugins/one.ts", "../interface.ts"],
  ["a suite above, in a suite's support", "tests/e2e/support/one.ts", "../../kubernetes/support/two.ts"],
])("rejects an import of %s", (_, file, specifier) => {
  expect(brokenRule(packages, join(repository, file), specifier)).toContain("lies below");
});
