import { expect, test } from "vitest";
import { untilHealthy } from "./healthy.ts";
import type { DockerClient } from "./provider-daemon.ts";

interface Look {
  readonly status?: string | undefined;
  readonly Running?: boolean;
  readonly Restarting?: boolean;
  readonly RestartCount?: number;
}

/** A daemon whose container has these states, one for each look; the last one stays. */
function daemon(...given: readonly (string | undefined | Look)[]): { docker: DockerClient; looks: () => number } {
  return createdAt("2026-01-01T00:00:00.123456789Z", ...given);
}

function createdAt(Created: string, ...given: readonly (string | undefined | Look)[]) {
  let looks = 0;
  const inspect = async () => {
    const state = given[Math.min(looks, given.length - 1)];
    const look = typeof state === "object" ? state : { status: state };
    const { status, Running = true, Restarting = false, RestartCount = 3 } = look;
    looks += 1;
    return { Created, RestartCount, State: { Running, Restarting, Health: status && { Status: status } } };
  };
  return { docker: { getContainer: () => ({ inspect }) } as unknown as DockerClient, looks: () => looks };
}

const container = { name: "engine", id: "0123456789abcdef" };
const quick = { pause: 1 };

test.each([
  ["healthy", ["starting", "starting", "healthy"]],
  ["healthy, although it is unhealthy on its way", ["starting", "unhealthy", "unhealthy", "healthy"]],
])("waits for a started service until it is %s", async (_, states) => {
  const { docker, looks } = daemon(...states);
  await untilHealthy(container, docker, quick);
  expect(looks()).toBe(states.length);
});

test.each([["starting"], ["starting", "unhealthy"]])(
  "reports a service that starts and ends as %s",
  async (...states) => {
    const { docker } = daemon(...states);
    await expect(untilHealthy(container, docker, { ...quick, patience: 50 })).rejects.toThrow(
      "The engine started but did not become healthy. See its log: docker logs 0123456789ab",
    );
  },
);

test.each(["healthy", "unhealthy", undefined])("does not wait for a service whose state is %s", async (state) => {
  const { docker, looks } = daemon(state, "healthy");
  await untilHealthy(container, docker, quick);
  expect(looks()).toBe(1);
});

test.each<[string, readonly Look[]]>([
  ["was stopped before its first check", [{ status: "starting", Running: false }]],
  ["waits for its next start", [{ status: "starting", Restarting: true }]],
  ["stops while the update waits", [{ status: "starting" }, { status: "starting", Running: false }]],
  ["has started again while the update waits", [{ status: "starting" }, { status: "starting", RestartCount: 4 }]],
])("does not stop an update, which may be the repair of a service that %s", async (_, states) => {
  const { docker, looks } = daemon(...states);
  await untilHealthy(container, docker, quick);
  expect(looks()).toBe(states.length);
});

test("does not wait for a container that this update created, because the provider has waited", async () => {
  const { docker, looks } = createdAt(new Date().toISOString(), "starting", "healthy");
  await untilHealthy(container, docker, quick);
  expect(looks()).toBe(1);
});

test("accepts a removed container and a daemon that only the provider reaches", async () => {
  const docker = {
    getContainer: () => ({ inspect: () => Promise.reject(Object.assign(new Error("no"), { statusCode: 404 })) }),
  };
  expect(await untilHealthy(container, docker as unknown as DockerClient, quick)).toBeUndefined();
  expect(await untilHealthy(container, undefined, quick)).toBeUndefined();
});
