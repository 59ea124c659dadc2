import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { buildFile, buildNumber, commitTime } from "./build-number.ts";

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "build-"))));
afterEach(() => rmSync(folder, { recursive: true }));

const identity = ["-c", "user.name=a", "-c", "user.email=a@example.net"];
const git = (...words: readonly string[]): void =>
  void execFileSync("git", ["-C", folder, ...identity, ...words], { stdio: "ignore" });

function commit(): void {
  git("commit", "--allow-empty", "--message", "a");
}

test("is the number of commits of a checkout", () => {
  git("init");
  commit();
  commit();
  expect(buildNumber(folder)).toBe(2);
});

test("is unknown in a shallow clone, in an unpacked archive and before the first commit", () => {
  expect(buildNumber(folder)).toBeUndefined();
  git("init");
  expect(buildNumber(folder)).toBeUndefined();
  commit();
  commit();
  git("clone", "--depth", "1", `file://${folder}`, join(folder, "shallow"));
  expect(buildNumber(join(folder, "shallow"))).toBeUndefined();
  mkdirSync(join(folder, "unpacked"));
  expect(buildNumber(join(folder, "unpacked"))).toBeUndefined();
});

test("is the written one in a package", () => {
  mkdirSync(join(folder, "infra"));
  writeFileSync(join(folder, buildFile), '{"build":7}');
  expect(buildNumber(folder)).toBe(7);
});

test("reads the time of the newest commit of a checkout", () => {
  expect(commitTime(folder)).toBeUndefined();
  git("init");
  expect(commitTime(folder)).toBeUndefined();
  const before = Math.floor(Date.now() / 1000) * 1000;
  commit();
  expect(commitTime(folder)).toBeGreaterThanOrEqual(before);
});

test("ignores the repository that git names in the environment of a hook", () => {
  git("init");
  commit();
  vi.stubEnv("GIT_DIR", join(folder, "another"));
  expect(buildNumber(folder)).toBe(1);
});
