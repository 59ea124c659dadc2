import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { objectsOf } from "./tree.ts";

/** A checkout with one commit of a package, its unit test, its page and a document. */
function checkout() {
  const folder = mkdtempSync(join(tmpdir(), "routeql-tree-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const git = (...args: readonly string[]): string =>
    execFileSync("git", ["-c", "user.name=test", "-c", "user.email=test@example.net", ...args], {
      cwd: folder,
      encoding: "utf8",
    }).trim();
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  git("init", "--quiet");
  write(".gitignore", "node_modules\n");
  for (const path of ["engine/src/print.ts", "engine/src/print.test.ts", "engine/README.md", "docs/page.md"])
    write(path, "first\n");
  git("add", "--all");
  git("commit", "--quiet", "--message", "first");
  return { folder, git, write, objects: () => objectsOf(["engine", "docs/page.md"], folder) };
}

test("gives the objects of the commit", () => {
  const { folder, git } = checkout();
  expect(objectsOf(["docs", "engine/src/print.ts", "absent"], folder)).toEqual({
    docs: git("rev-parse", "HEAD:docs"),
    "engine/src/print.ts": git("rev-parse", "HEAD:engine/src/print.ts"),
  });
});

test("of a page only headings, marks and blocks count", () => {
  const { write, objects } = checkout();
  const page = (heading: string, mark: string, sentence: string, command: string): string | undefined => {
    write("docs/page.md", `## ${heading}\n\n${sentence}\n\n<!-- walk: ${mark} -->\n\n\`\`\`sh\n${command}\n\`\`\`\n`);
    return objects()["docs/page.md"];
  };
  const first = page("Renew", "renew", "Renew it.", "npm run up");
  expect(page("Renew", "renew", "Renew it each year.", "npm run up")).toBe(first);
  expect(page("Change", "renew", "Renew it.", "npm run up")).not.toBe(first);
  expect(page("Renew", "change", "Renew it.", "npm run up")).not.toBe(first);
  expect(page("Renew", "renew", "Renew it.", "npm run rotate")).not.toBe(first);
});

test.each([
  ["an uncommitted change", "engine/src/print.ts"],
  ["a new file", "engine/src/new.ts"],
])("sees %s, and gives the same objects once it is committed", (_, path) => {
  const { git, write, objects } = checkout();
  const before = objects();
  write(path, "second\n");
  const after = objects();
  expect(after["engine"]).not.toBe(before["engine"]);
  expect(after["docs/page.md"]).toBe(before["docs/page.md"]);
  expect(git("diff", "--cached", "--name-only")).toBe("");
  git("add", "--all");
  git("commit", "--quiet", "--message", "second");
  expect(objects()).toEqual(after);
});

test("ignores unit tests, pages about the code and ignored files", () => {
  const { write, objects } = checkout();
  const before = objects();
  for (const path of ["engine/src/print.test.ts", "engine/README.md", "engine/node_modules/zod/index.js"])
    write(path, "second\n");
  expect(objects()).toEqual(before);
});

test("reads its own checkout also from a hook of another repository", () => {
  const { objects } = checkout();
  const { folder } = checkout();
  const before = objects();
  vi.stubEnv("GIT_DIR", join(folder, ".git"));
  vi.stubEnv("GIT_INDEX_FILE", join(folder, ".git/index"));
  writeFileSync(join(folder, "docs/page.md"), "other\n");
  expect(objects()).toEqual(before);
});

test("a folder without a checkout is an error with the reason", () => {
  const folder = mkdtempSync(join(tmpdir(), "routeql-tree-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  expect(() => objectsOf(["engine"], folder)).toThrow(/git cannot read the working tree of .*not a git repository/s);
});
