import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { npm } from "@routeql/host/npm";
import { ensureDependencies } from "./dependencies.mjs";

type Install = (args: string[], options: { readonly cwd: string }) => Promise<void>;
const ensure = ensureDependencies as (
  project: string,
  options: { readonly everything: boolean; readonly install: Install },
) => Promise<void>;

let folder = "";
let steps: string[] = [];

function write(file: string, content: object): void {
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), JSON.stringify(content));
}

/** Packs a package without dependencies into `<folder>/<name>-1.0.0.tgz`. */
function pack(name: string): void {
  write(`sources/${name}/package/package.json`, { name, version: "1.0.0" });
  execFileSync("tar", ["czf", join(folder, `${name}-1.0.0.tgz`), "-C", join(folder, "sources", name), "package"]);
}

function lock(): void {
  execFileSync("npm", ["install", "--package-lock-only", "--no-audit", "--no-fund", "--offline"], {
    cwd: folder,
    stdio: "ignore",
  });
}

/** A repository whose kit needs the package `runtime`, and whose tests need `tool`; both come from files instead of a registry. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "routeql-dependencies-"));
  steps = [];
  pack("runtime");
  pack("tool");
  write("package.json", {
    name: "x",
    version: "1.0.0",
    workspaces: ["cli"],
    devDependencies: { tool: "file:tool-1.0.0.tgz" },
  });
  write("cli/package.json", {
    name: "@routeql/cli",
    version: "1.0.0",
    dependencies: { runtime: "file:../runtime-1.0.0.tgz" },
  });
  lock();
}, 60_000);
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const install: Install = async (args, options) => {
  steps.push(args[0]!);
  await npm(args, options);
};
const up = (): Promise<void> => ensure(folder, { everything: false, install });
const tests = (): Promise<void> => ensure(folder, { everything: true, install });
const has = (name: string): boolean => existsSync(join(folder, "node_modules", name, "package.json"));
const fileOf = (name: string): number => statSync(join(folder, "node_modules", name, "package.json")).ino;

const patience = 120_000;

test("the kit's packages come first, the others later, and none twice", { timeout: patience }, async () => {
  await up();
  expect({ steps, runtime: has("runtime"), tool: has("tool") }).toEqual({ steps: ["ci"], runtime: true, tool: false });
  const runtime = fileOf("runtime");
  await tests();
  expect({ steps, tool: has("tool") }).toEqual({ steps: ["ci", "install"], tool: true });
  expect(fileOf("runtime")).toBe(runtime);
  await up();
  await tests();
  expect(steps).toEqual(["ci", "install"]);
});

test("all packages at once serve the kit too", { timeout: patience }, async () => {
  await tests();
  await up();
  expect({ steps, runtime: has("runtime"), tool: has("tool") }).toEqual({ steps: ["ci"], runtime: true, tool: true });
});

test("a package that the lock file got later is added alone", { timeout: patience }, async () => {
  await tests();
  const runtime = fileOf("runtime");
  pack("later");
  write("package.json", {
    name: "x",
    version: "1.0.0",
    workspaces: ["cli"],
    devDependencies: { tool: "file:tool-1.0.0.tgz", later: "file:later-1.0.0.tgz" },
  });
  // With --package-lock-only, npm would enter the package in its record of node_modules.
  renameSync(join(folder, "node_modules"), join(folder, "aside"));
  lock();
  renameSync(join(folder, "aside"), join(folder, "node_modules"));
  await tests();
  expect({ steps, later: has("later"), runtime: fileOf("runtime") }).toEqual({
    steps: ["ci", "install"],
    later: true,
    runtime,
  });
});

test("an interrupted addition is followed by a clean install", { timeout: patience }, async () => {
  await up();
  await expect(
    ensure(folder, {
      everything: true,
      install: () => Promise.reject(Object.assign(new Error("npm ended"), { cause: { killed: true } })),
    }),
  ).rejects.toThrow("npm ended");
  await up();
  expect(steps).toEqual(["ci", "ci"]);
  await tests();
  expect({ steps, tool: has("tool") }).toEqual({ steps: ["ci", "ci", "install"], tool: true });
});

test("an addition that npm could not do leaves the kit installed", { timeout: patience }, async () => {
  await up();
  rmSync(join(folder, "tool-1.0.0.tgz"));
  vi.stubEnv("npm_config_cache", join(folder, "empty-cache"));
  await expect(tests()).rejects.toThrow("ended with");
  expect(has("runtime")).toBe(true);
  await up();
  expect(steps).toEqual(["ci", "install"]);
  vi.unstubAllEnvs();
  await tests();
  expect(has("tool")).toBe(true);
});

test("a dependency that the lock file does not have is refused", { timeout: patience }, async () => {
  await up();
  pack("unlocked");
  write("cli/package.json", {
    name: "@routeql/cli",
    version: "1.0.0",
    dependencies: { runtime: "file:../runtime-1.0.0.tgz", unlocked: "file:../unlocked-1.0.0.tgz" },
  });
  await expect(tests()).rejects.toThrow("ci --include=dev");
  expect({ steps, unlocked: has("unlocked") }).toEqual({ steps: ["ci", "ci"], unlocked: false });
});
