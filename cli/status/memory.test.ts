import type { Execute } from "@routeql/host/program-streams";
import { expect, test } from "vitest";
import { killsIn, memoryKills } from "./memory.ts";

test("reads the files of both versions of control groups", () => {
  expect(killsIn("low 0\nhigh 0\nmax 31\noom 2\noom_kill 2\noom_group_kill 0\n")).toBe(2);
  expect(killsIn("oom_kill_disable 0\nunder_oom 0\noom_kill 1\n")).toBe(1);
  // Kernels before 4.13 do not count.
  expect(killsIn("oom_kill_disable 0\nunder_oom 0\n")).toBe(0);
  expect(killsIn("")).toBe(0);
});

test("names the services with killed processes", async () => {
  const enter = (service: string): Promise<Execute> =>
    Promise.resolve(async (_program, { output }) => {
      output?.write(`oom_kill ${service === "database" ? 3 : 0}\n`);
      return 0;
    });
  expect(await memoryKills(["database", "engine", "database"], enter, new AbortController().signal)).toEqual([
    { service: "database", count: 3 },
  ]);
});
