import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { checkSubjects } from "./commit-subjects.ts";

/** The last commit before this check. Older subjects are longer. */
const base = "a15379e835b28955d8b5ae618ac6833d14da1f06";
const repository = resolve(import.meta.dirname, "../..");

describe("the check", () => {
  const folder = mkdtempSync(join(tmpdir(), "subjects-"));
  const checkout = join(folder, "checkout");
  const git = (...args: readonly string[]): string =>
    execFileSync("git", ["-c", "user.name=test", "-c", "user.email=test@example.net", ...args], {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();
  const commit = (subject: string): string => {
    git("-C", checkout, "commit", "--quiet", "--allow-empty", "--message", subject);
    return git("-C", checkout, "rev-parse", "HEAD");
  };
  let first = "";

  beforeAll(() => {
    git("init", "--quiet", checkout);
    first = commit("x".repeat(100));
    commit("x".repeat(72));
    commit("y".repeat(73));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test("reports a subject of 73 characters after the base commit", () => {
    expect(checkSubjects(checkout, first)).toEqual({
      problems: [expect.stringMatching(/^\w+ y{73}: 73 characters; at most 72$/)],
    });
  });

  test("skips a shallow clone without the base commit, with the reason", () => {
    git("clone", "--quiet", "--depth", "1", `file://${checkout}`, "shallow");
    expect(checkSubjects(join(folder, "shallow"), first)).toEqual({
      skipped: expect.stringContaining("as in a shallow clone") as unknown,
    });
  });

  test("skips a folder that is not a Git checkout, with the reason", () => {
    expect(checkSubjects(folder, first)).toEqual({ skipped: "this folder is not a Git checkout" });
  });
});

test("subjects of new commits have at most 72 characters", (context) => {
  const result = checkSubjects(repository, base);
  if ("skipped" in result) context.skip(result.skipped);
  else expect(result.problems).toEqual([]);
});
