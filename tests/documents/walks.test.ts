import { existsSync, readFileSync } from "node:fs";
import { posix, resolve } from "node:path";
import { expect, test } from "vitest";
import { repository } from "../boundaries/packages.ts";
import { mustRun } from "../harness/process.ts";

const text = (path: string): string => readFileSync(resolve(repository, path), "utf8");
const page = text("docs/design/architecture.md");

/** Files in a section of the page, in order. */
function walk(title: string): readonly string[] {
  const [, section = ""] = page.split(`### ${title}\n`);
  return [...(section.split(/^#/m)[0] ?? "").matchAll(/^\d+\. `([^`]+)`/gm)].map(([, path = ""]) => path);
}

/** Files of the same package that a file imports. */
function imports(path: string, { types }: { readonly types: boolean }): readonly string[] {
  const found = [...text(path).matchAll(/^(?:import|export) (type )?[^;]*?from "(\.[^"]+)";/gms)];
  return found
    .filter(([, type]) => types || type === undefined)
    .map(([, , specifier = ""]) => posix.join(posix.dirname(path), specifier));
}

/** All files that a file imports, directly or indirectly. */
function reached(path: string, found = new Set<string>()): ReadonlySet<string> {
  for (const next of imports(path, { types: true })) {
    if (found.has(next)) continue;
    found.add(next);
    reached(next, found);
  }
  return found;
}

test.each(["A query", "A login"])("%s passes at most 12 files in one direction", (title) => {
  const files = walk(title);
  expect(files.length).toBeGreaterThan(5);
  expect(files.length).toBeLessThanOrEqual(12);
  expect(files.filter((path) => !existsSync(resolve(repository, path)))).toEqual([]);
  const [first = "", ...rest] = files;
  // The sidecar's modules know each other by interfaces; sidecar.ts connects them.
  const all = new Set([...reached(first), ...reached("auth-sidecar/src/sidecar.ts")]);
  expect(rest.filter((path) => !all.has(path))).toEqual([]);
  const backwards = files.flatMap((path, index) =>
    imports(path, { types: false })
      .filter((target) => files.slice(0, index).includes(target))
      .map((target) => `${path} imports ${target}`),
  );
  expect(backwards).toEqual([]);
});

test("the files and folders of the table exist", () => {
  const [, section = ""] = page.split("## Where to find it\n");
  const paths = [...(section.split(/^## /m)[0] ?? "").matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path);
  expect(paths.length).toBeGreaterThan(10);
  expect(paths.filter((path) => !existsSync(resolve(repository, path)))).toEqual([]);
});

test("a setting is named in at most 10 files, and the page lists them", async () => {
  const files = walk("A setting");
  expect(files.length).toBeLessThanOrEqual(10);
  const found = await mustRun(
    "git",
    [
      "grep",
      "--files-with-matches",
      "-E",
      "loginAttemptsPerAccount|LOGIN_ATTEMPTS_PER_ACCOUNT",
      "--",
      ".",
      ":!*.test.ts",
      ":!tests",
      ":!*.md",
    ],
    { cwd: repository },
  );
  expect(found.trim().split("\n").toSorted()).toEqual(files.filter((path) => !path.endsWith(".md")).toSorted());
});
