import { expect, test, vi } from "vitest";
import {
  builtVersion,
  type CliProbes,
  goPlatform,
  isUsable,
  minimumVersion,
  parseVersion,
  planCli,
  planGo,
} from "./plan.ts";

function probes(found: { onPath?: string; cached?: Record<string, string>; downloads?: boolean }): CliProbes {
  return {
    onPath: vi.fn(async () => found.onPath),
    cached: vi.fn(async (version: string) => found.cached?.[version]),
    downloadAnswers: vi.fn(async () => found.downloads ?? false),
  };
}

test("uses a sufficiently new CLI on PATH without further probes", async () => {
  const machine = probes({ onPath: "v3.300.1", cached: { [builtVersion]: "/cache" }, downloads: true });
  expect(await planCli(machine, "3.270.0")).toEqual({ kind: "path", version: "v3.300.1" });
  expect(machine.cached).not.toHaveBeenCalled();
  expect(machine.downloadAnswers).not.toHaveBeenCalled();
});

test.each(["v3.100.0", "v4.0.0", "unknown"])("ignores %s on PATH", async (onPath) => {
  expect(await planCli(probes({ onPath, cached: { [builtVersion]: "/cache" } }), "3.270.0")).toEqual({
    kind: "cache",
    version: builtVersion,
    root: "/cache",
  });
});

test("builds the CLI without access to Pulumi's site, and downloads it otherwise", async () => {
  expect(await planCli(probes({}), "3.270.0")).toEqual({ kind: "build", version: builtVersion });
  expect(await planCli(probes({ downloads: true }), "3.270.0")).toEqual({ kind: "download", version: "3.270.0" });
});

test("prefers a downloaded CLI in the cache to a built one", async () => {
  expect(await planCli(probes({ cached: { "3.270.0": "/new", [builtVersion]: "/old" } }), "3.270.0")).toMatchObject({
    root: "/new",
  });
});

test.each([
  ["go1.26.8", true, "path"],
  ["go1.27", true, "path"],
  ["go1.26.7", true, "toolchain-by-path"],
  ["go1.19.8", false, "toolchain-by-path"],
  ["go1.24.4", true, "toolchain-by-path"],
  [undefined, true, "toolchain-by-package"],
  [undefined, false, "none"],
] as const)("with %s installed and packages installable: %s, Go comes by %s", (installed, packages, source) => {
  expect(planGo(installed, "1.26.8", packages)).toBe(source);
});

test("versions are compared as numbers within one major version", () => {
  expect(parseVersion("v3.256.0-dev.1")).toEqual([3, 256, 0]);
  expect(parseVersion("devel")).toBeUndefined();
  expect(isUsable("3.1000.0", minimumVersion)).toBe(true);
  expect(isUsable("3.99.99", minimumVersion)).toBe(false);
});

test.each([
  ["linux", "x64", "linux-amd64"],
  ["linux", "arm64", "linux-arm64"],
  ["darwin", "arm64", "darwin-arm64"],
  ["darwin", "x64", "darwin-amd64"],
])("downloads of Pulumi and Go name %s on %s as %s", (platform, architecture, name) => {
  expect(goPlatform(platform, architecture)).toBe(name);
});
