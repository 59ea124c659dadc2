import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { npm } from "./npm.mjs";

/** A project with a workspace that its root needs, and its lock file. */
function project(): string {
  const folder = mkdtempSync(join(tmpdir(), "routeql-npm-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const root = { name: "root", version: "1.0.0", workspaces: ["a"] };
  const a = { name: "a", version: "1.0.0" };
  const packages = { "": root, a, "node_modules/a": { resolved: "a", link: true } };
  mkdirSync(join(folder, "a"));
  writeFileSync(join(folder, "package.json"), JSON.stringify(root));
  writeFileSync(join(folder, "a/package.json"), JSON.stringify(a));
  writeFileSync(
    join(folder, "package-lock.json"),
    JSON.stringify({ name: "root", version: "1.0.0", lockfileVersion: 3, requires: true, packages }),
  );
  return folder;
}

test.each(["", "dry-run=true", "global=true", "location=global", "install-strategy=linked"])(
  "installs the locked packages with this line in the user's .npmrc: %s",
  async (line) => {
    const folder = project();
    writeFileSync(join(folder, "user.npmrc"), `${line}\n`);
    vi.stubEnv("npm_config_userconfig", join(folder, "user.npmrc"));
    await npm(["ci", "--include=dev", "--ignore-scripts"], { cwd: folder });
    expect(existsSync(join(folder, "node_modules/a/package.json"))).toBe(true);
    expect(existsSync(join(folder, "node_modules/.package-lock.json"))).toBe(true);
  },
);
