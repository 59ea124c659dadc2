import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { folded, withoutOldMarks } from "./figures.ts";
import { changesSince } from "./product-changes.ts";

test("counts the later commits that changed the folders of a product", () => {
  const root = mkdtempSync(join(tmpdir(), "routeql-changes-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const git = (date: string, ...words: readonly string[]): void => {
    const at = `${date}T12:00:00Z`;
    const who = {
      GIT_AUTHOR_NAME: "a",
      GIT_AUTHOR_EMAIL: "a@b.test",
      GIT_COMMITTER_NAME: "a",
      GIT_COMMITTER_EMAIL: "a@b.test",
    };
    const env = { ...process.env, ...who, GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at };
    execFileSync("git", [...words], { cwd: root, env, stdio: "ignore" });
  };
  git("2026-05-01", "init");
  const changes = [
    ["2026-05-01", "engine"],
    ["2026-05-02", "engine"],
    ["2026-05-03", "docs"],
    ["2026-05-04", "engine"],
  ] as const;
  for (const [date, folder] of changes) {
    mkdirSync(join(root, folder), { recursive: true });
    writeFileSync(join(root, folder, "a"), date);
    git(date, "add", "--all");
    git(date, "commit", "--message", "a", "--no-verify");
  }
  expect(changesSince("2026-05-01", ["engine"], root)).toBe(2);
  expect(changesSince("2026-05-02", ["engine", "docs"], root)).toBe(2);
  expect(changesSince("2026-05-04", ["engine"], root)).toBe(0);
  expect(changesSince("2026-05-01", ["engine"], tmpdir())).toBe(0);
});

test("the check of documents ignores the marks of old figures", () => {
  expect(withoutOldMarks("`a`, 2 cores. **Old.**\n\n- 1\n")).toBe("`a`, 2 cores.\n\n- 1\n");
});

test("folds long entries of figures between words", () => {
  const lines = folded(`- suite: ${"count: 1,000; ".repeat(30)}`.trim());
  expect(lines.length).toBeGreaterThan(3);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(122);
  expect(lines.join("\n").replaceAll("\n  ", " ")).toBe(`- suite: ${"count: 1,000; ".repeat(30)}`.trim());
});
