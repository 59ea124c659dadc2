import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { PulumiCommand } from "@pulumi/pulumi/automation/index.js";
import { stackPaths } from "@routeql/host/paths";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { choosePlugins, type PluginKind, pulumiHome, type Target } from "./plugins.ts";

let folder = "";

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "routeql-plugins-"));
  vi.stubEnv("PATH", `${folder}/bin`);
  vi.stubEnv("XDG_CACHE_HOME", join(folder, "cache"));
  vi.stubEnv("PULUMI_HOME", join(folder, "user"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

function install(file: string): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, "plugin");
  chmodSync(file, 0o755);
}
const inHome = (home: string, name: string): string => {
  const { version } = createRequire(import.meta.url)(`@pulumi/${name}/package.json`) as { version: string };
  return join(home, "plugins", `resource-${name}-v${version}`, `pulumi-resource-${name}`);
};

/** The choice for a stack whose last command used the plugins of this kind. */
function choose(before: PluginKind, target: Target = "docker"): Promise<PluginKind> {
  const paths = { ...stackPaths("test"), plugins: join(folder, "plugins.json") };
  writeFileSync(paths.plugins, JSON.stringify({ kind: before, target }));
  const silent = (): void => undefined;
  const { signal } = new AbortController();
  return choosePlugins(paths, { command: {} as PulumiCommand, target, say: silent, onLine: silent, signal });
}

test("uses official plugins on PATH, in the user's Pulumi folder or in the cache", async () => {
  expect(await choose("stand-in")).toBe("stand-in");
  install(join(folder, "bin/pulumi-resource-docker"));
  install(inHome(join(folder, "user"), "random"));
  expect(await choose("stand-in")).toBe("stand-in");
  install(inHome(pulumiHome(), "tls"));
  expect(await choose("stand-in")).toBe("official");
});

test("keeps the replacements of a stack on Kubernetes", async () => {
  for (const name of ["docker", "random", "tls", "kubernetes"]) install(join(folder, "bin", `pulumi-resource-${name}`));
  expect(await choose("stand-in", "kubernetes")).toBe("stand-in");
  expect(await choose("stand-in")).toBe("official");
});
