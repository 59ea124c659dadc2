import { expect, test } from "vitest";
import { limitProcesses } from "./process-limit.ts";
import type { DockerClient } from "./provider-daemon.ts";

interface Daemon {
  readonly limit?: number | null;
  readonly info?: Readonly<Record<string, unknown>>;
}

/** A daemon with one container, and the updates that it received. */
function daemon({ limit = null, info = {} }: Daemon): { docker: DockerClient; updates: unknown[] } {
  const updates: unknown[] = [];
  const docker = {
    info: async () => info,
    getContainer: () => ({
      inspect: async () => ({ HostConfig: { PidsLimit: limit } }),
      update: async (change: unknown) => void updates.push(change),
    }),
  };
  return { docker: docker as unknown as DockerClient, updates };
}

test("sets the limit of a container without one", async () => {
  const { docker, updates } = daemon({});
  expect(await limitProcesses("id", 64, docker)).toBeUndefined();
  expect(updates).toEqual([{ PidsLimit: 64 }]);
});

test("leaves a container with the right limit", async () => {
  const { docker, updates } = daemon({ limit: 64 });
  expect(await limitProcesses("id", 64, docker)).toBeUndefined();
  expect(updates).toEqual([]);
});

test.each([[{ PidsLimit: false }], [{ CgroupDriver: "none" }]])("reports a daemon with %o", async (info) => {
  const { docker, updates } = daemon({ info });
  expect(await limitProcesses("id", 64, docker)).toContain("this Docker daemon cannot set one");
  expect(updates).toEqual([]);
});

test("names the command for a daemon that only the provider reaches", async () => {
  expect(await limitProcesses("0123456789abcdef", 64, undefined)).toContain(
    "docker update --pids-limit 64 0123456789ab",
  );
});

test("accepts a container that was removed meanwhile", async () => {
  const docker = {
    getContainer: () => ({ inspect: () => Promise.reject(Object.assign(new Error("no"), { statusCode: 404 })) }),
  };
  expect(await limitProcesses("id", 64, docker as unknown as DockerClient)).toBeUndefined();
});
