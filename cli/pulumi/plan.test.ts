import { expect, test, vi } from "vitest";
import { type CliProbes, planCli } from "./plan.ts";

const builtVersion = "3.256.0";
const plan = (machine: CliProbes): ReturnType<typeof planCli> => planCli(machine, "3.270.0", builtVersion);

function probes(found: { onPath?: string; cached?: Record<string, string> }): CliProbes {
  return { onPath: vi.fn(async () => found.onPath), cached: vi.fn(async (version: string) => found.cached?.[version]) };
}

test("uses a sufficiently new CLI on PATH without further probes", async () => {
  const machine = probes({ onPath: "v3.300.1", cached: { [builtVersion]: "/cache" } });
  expect(await plan(machine)).toEqual({ kind: "path", version: "v3.300.1" });
  expect(machine.cached).not.toHaveBeenCalled();
});

test.each(["v3.100.0", "v4.0.0", "unknown"])("ignores %s on PATH", async (onPath) => {
  expect(await plan(probes({ onPath, cached: { [builtVersion]: "/cache" } }))).toEqual({
    kind: "cache",
    version: builtVersion,
    root: "/cache",
  });
});

test("builds the CLI when there is none", async () => {
  expect(await plan(probes({}))).toEqual({ kind: "build", version: builtVersion });
});

test("prefers the CLI of the SDK's version in the cache to a built one", async () => {
  expect(await plan(probes({ cached: { "3.270.0": "/new", [builtVersion]: "/old" } }))).toMatchObject({ root: "/new" });
});

test("has no source without a build, and then never looks for a built CLI", async () => {
  const machine = probes({ cached: { [builtVersion]: "/cache" } });
  expect(await planCli(machine, "3.270.0", undefined)).toEqual({ kind: "none" });
});
