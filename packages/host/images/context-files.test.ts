import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { contextFiles } from "./context-files.ts";

let root = "";
const write = (path: string, content = path): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
};
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "routeql-context-"));
  write(".dockerignore", "*\n!engine\n!package.json\n**/node_modules\n**/*.test.ts\n");
  for (const path of [
    "package.json",
    "README.md",
    "engine/a.ts",
    "engine/b/a.test.ts",
    "engine/b/run.sh",
    "engine/node_modules/x/index.js",
    "other/a.ts",
  ]) {
    write(path);
  }
  chmodSync(join(root, "engine/b/run.sh"), 0o755);
});
afterEach(() => rmSync(root, { recursive: true }));

test("includes files below the sources, without those that .dockerignore excludes", () => {
  expect(contextFiles(root, ["package.json", "engine"]).map(({ path }) => path)).toEqual([
    "package.json",
    "engine/a.ts",
    "engine/b/run.sh",
  ]);
});

test("a file that is listed twice counts once", () => {
  expect(contextFiles(root, ["engine", "engine/a.ts"]).filter(({ path }) => path === "engine/a.ts")).toHaveLength(1);
});

test("reads content and executable bit", () => {
  const [file] = contextFiles(root, ["engine/b"]);
  expect(file).toMatchObject({ path: "engine/b/run.sh", executable: true });
  expect(Buffer.from(file?.content ?? []).toString()).toBe("engine/b/run.sh");
});

test("a missing source is an error", () => {
  expect(() => contextFiles(root, ["nowhere"])).toThrow(/ENOENT/);
});
