import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { dockerClient, orUndefined } from "@routeql/host/docker/client";
import { smallProgram } from "./support/small-program.ts";
import { tinyStack } from "./support/tiny-stack.ts";

const docker = dockerClient();

async function until(what: string, condition: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 60_000;
  while (!(await condition())) {
    if (Date.now() > end) throw new Error(`${what} did not happen within 60 s`);
    await sleep(200);
  }
}

const runs = async (name: string): Promise<boolean> =>
  (await orUndefined(docker.getContainer(name).inspect()))?.State.Running ?? false;

/** Ids of Pulumi's processes for this stack. */
async function engineProcesses(stack: string): Promise<number[]> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const lines = await Promise.all(
    ids.map(async (id) => [id, await readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "")] as const),
  );
  return lines
    .filter(([, line]) => line.split("\0")[0]?.endsWith("pulumi") && line.includes(`\0${stack}\0`))
    .map(([id]) => id);
}

/** Ids of the processes with provider plugins, started by this process or by these engines. */
async function pluginsOf(parents: readonly number[]): Promise<number[]> {
  const ids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const processes = await Promise.all(
    ids.map(async (id) => {
      const [state, line] = await Promise.all(
        [`/proc/${id}/stat`, `/proc/${id}/cmdline`].map((file) => readFile(file, "utf8").catch(() => "")),
      );
      return { id, parent: Number(/\) \S (\d+)/.exec(state ?? "")?.[1]), line: line ?? "" };
    }),
  );
  return processes
    .filter(
      ({ parent, line }) => parents.includes(parent) || (parent === process.pid && line.includes("/offline/plugins/")),
    )
    .map(({ id }) => id);
}

const isGone = (id: number): Promise<boolean> =>
  readFile(`/proc/${id}/cmdline`, "utf8").then(
    (line) => line === "",
    () => true,
  );

/** Never becomes healthy, so the update waits for it. */
const neverHealthy = { check: "false" };

test("an interrupted update stops cleanly, and the next one repairs it", { timeout: 300_000 }, async () => {
  await using tiny = await tinyStack();
  const interrupt = new AbortController();
  const interrupted = tiny.up(smallProgram(tiny.name, neverHealthy), interrupt.signal);
  const outcome = interrupted.then(
    () => "done",
    () => "interrupted",
  );
  await until("the service's start", () => runs(`routeql-${tiny.name}-service`));
  interrupt.abort(new Error("Ctrl-C"));
  expect(await outcome).toBe("interrupted");
  expect(await engineProcesses(tiny.name)).toEqual([]);

  const { changes } = await tiny.up(smallProgram(tiny.name));
  expect(changes.create).toBeGreaterThan(0);
  expect((await tiny.up(smallProgram(tiny.name))).changes).toEqual({ same: 8 });
});

test("the next update repairs the lock and the partial objects of a killed Pulumi", { timeout: 300_000 }, async () => {
  await using tiny = await tinyStack();
  const killed = tiny.up(smallProgram(tiny.name, neverHealthy)).then(
    () => "done",
    () => "failed",
  );
  await until("the service's start", () => runs(`routeql-${tiny.name}-service`));
  const processes = await engineProcesses(tiny.name);
  expect(processes).not.toEqual([]);
  const plugins = await pluginsOf(processes);
  expect(plugins).not.toEqual([]);
  for (const id of processes) process.kill(id, "SIGKILL");
  expect(await killed).toBe("failed");
  await until("the plugins' end", async () => (await Promise.all(plugins.map(isGone))).every(Boolean));

  await tiny.up(smallProgram(tiny.name));
  expect((await tiny.up(smallProgram(tiny.name))).changes).toEqual({ same: 8 });
});
