import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readTree } from "./read-tree.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "routeql-tree-"));
  mkdirSync(join(folder, "b/c"), { recursive: true });
  for (const path of ["z.yaml", "b/c/a.yaml", "b/readme.md"]) writeFileSync(join(folder, path), `text of ${path}`);
});
afterEach(() => rmSync(folder, { recursive: true }));

test("files of the wanted kinds are read from all folders, sorted", () => {
  expect(Object.entries(readTree(pathToFileURL(folder), "metadata", [".yaml"]))).toEqual([
    ["metadata/b/c/a.yaml", "text of b/c/a.yaml"],
    ["metadata/z.yaml", "text of z.yaml"],
  ]);
});

test("a folder without such a file is an error, and so is a missing one", () => {
  expect(() => readTree(pathToFileURL(folder), "metadata", [".json"])).toThrow(/There is no file \*\.json/);
  expect(() => readTree(pathToFileURL(join(folder, "none")), "metadata", [".yaml"])).toThrow(/ENOENT/);
});
