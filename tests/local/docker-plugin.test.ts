import { expect, test, vi } from "vitest";
import { dockerClient, orUndefined } from "@routeql/host/docker/client";
import { freePorts } from "../harness/free-ports.ts";
import { ignoredLimits, requireLimit } from "../harness/docker/require-limits.ts";
import { smallProgram, type SmallSettings } from "./support/small-program.ts";
import { explaining, tinyStack } from "./support/tiny-stack.ts";

const docker = dockerClient();
const inspect = (name: string): ReturnType<ReturnType<typeof docker.getContainer>["inspect"]> =>
  docker.getContainer(name).inspect();
/** The update has run the check itself; Docker's own check runs at its interval. */
const expectHealthy = (name: string): Promise<void> =>
  vi.waitFor(async () => expect((await inspect(name)).State.Health?.Status).toBe("healthy"), {
    timeout: 20_000,
    interval: 200,
  });
/** The stack itself and the resources of smallProgram. */
const everything = 8;

const [published] = await freePorts(1);

// Two containers cannot have the same port: the former one stops before its replacement starts.
test.concurrent.each([
  ["runs until its replacement is healthy", {}],
  ["with a published port runs again if its replacement fails", { joins: true, port: published }],
])("a service %s", { timeout: 300_000 }, async (_title, common) => {
  await using tiny = await tinyStack();
  const small = (settings: SmallSettings) => smallProgram(tiny.name, { hasData: false, ...common, ...settings });
  const { outputs } = await tiny.up(small({}));
  await expect(tiny.up(small({ script: "exit 3" }))).rejects.toThrow();
  const former = await inspect(`routeql-${tiny.name}-service-former`);
  expect([former.Id, former.State.Running]).toEqual([outputs.service, true]);
  await tiny.up(small({ greeting: "good day" }));
  expect(await orUndefined(docker.getContainer(former.Id).inspect())).toBeUndefined();
  await expectHealthy(`routeql-${tiny.name}-service`);
});

test.concurrent(
  "another memory limit is set without replacing the container",
  { timeout: 300_000 },
  async (context) => {
    requireLimit(context, "memory");
    await using tiny = await tinyStack();
    const before = await tiny.up(smallProgram(tiny.name));
    const { changes, outputs } = await tiny.up(smallProgram(tiny.name, { memory: 32 }));
    expect(changes).toEqual({ update: 1, same: everything - 1 });
    expect(outputs.service).toBe(before.outputs.service);
    expect((await inspect(`routeql-${tiny.name}-service`)).HostConfig.Memory).toBe(32 * 1024 * 1024);
  },
);

test.concurrent("a running service joins and leaves another network", { timeout: 300_000 }, async () => {
  await using tiny = await tinyStack();
  const { outputs } = await tiny.up(smallProgram(tiny.name));
  const networks = async (): Promise<string[]> =>
    Object.keys((await inspect(String(outputs.service))).NetworkSettings.Networks).toSorted();
  const joined = await tiny.up(smallProgram(tiny.name, { joins: true }));
  expect(joined.changes).toEqual({ create: 1, update: 1, same: everything - 1 });
  expect(await networks()).toEqual([`routeql-${tiny.name}-network`, `routeql-${tiny.name}-second`]);
  expect((await tiny.up(smallProgram(tiny.name, { joins: true }))).changes).toEqual({ same: everything + 1 });
  const left = await tiny.up(smallProgram(tiny.name));
  expect(left.changes).toEqual({ delete: 1, update: 1, same: everything - 1 });
  expect(await networks()).toEqual([`routeql-${tiny.name}-network`]);
});

test.concurrent("repairs a stopped and a removed container and a removed network", { timeout: 300_000 }, async () => {
  await using tiny = await tinyStack();
  const program = smallProgram(tiny.name);
  const service = `routeql-${tiny.name}-service`;
  const { outputs } = await tiny.up(program);

  await docker.getContainer(service).stop({ t: 0 });
  const stopped = await tiny.up(program);
  expect(stopped.changes).toEqual({ update: 1, same: everything - 1 });
  expect(stopped.outputs.service).toBe(outputs.service);
  await expectHealthy(service);

  await docker.getContainer(service).remove({ force: true });
  const removed = await tiny.up(program);
  expect(removed.changes).toMatchObject({ create: 1 });
  await expectHealthy(service);

  const network = docker.getNetwork(`routeql-${tiny.name}-network`);
  await network.disconnect({ Container: service, Force: true });
  const disconnected = await tiny.up(program);
  expect(disconnected.changes).toMatchObject({ replace: 1 });
  expect(Object.keys((await inspect(service)).NetworkSettings.Networks)).toEqual([`routeql-${tiny.name}-network`]);

  await docker.getContainer(service).remove({ force: true });
  await docker.getContainer(`routeql-${tiny.name}-job`).remove({ force: true });
  await network.remove();
  await tiny.up(program);
  await expectHealthy(service);
  expect((await tiny.up(program)).changes).toEqual({ same: everything });
});

test.concurrent("resumes a paused container", { timeout: 300_000 }, async (context) => {
  context.skip(ignoredLimits.has("memory"), "the Docker daemon has no control groups and cannot pause a container");
  await using tiny = await tinyStack();
  const program = smallProgram(tiny.name);
  const service = `routeql-${tiny.name}-service`;
  await tiny.up(program);
  await docker.getContainer(service).pause();
  expect((await tiny.up(program)).changes).toEqual({ update: 1, same: everything - 1 });
  expect((await inspect(service)).State.Paused).toBe(false);
});

test.concurrent(
  "an unhealthy service fails the update with its log, and the next update repairs it",
  { timeout: 300_000 },
  async () => {
    await using tiny = await tinyStack();
    const broken = smallProgram(tiny.name, { script: "echo 'cannot read the map' >&2; exit 3" });
    await expect(tiny.up(broken)).rejects.toSatisfy(explaining(/cannot read the map/));
    await tiny.up(smallProgram(tiny.name, { fileNames: "others" }));
    await expectHealthy(`routeql-${tiny.name}-service`);
  },
);

test.concurrent("the next update reruns a failed job but not a successful one", { timeout: 300_000 }, async () => {
  await using tiny = await tinyStack();
  const failing = await tiny.up(smallProgram(tiny.name, { job: "echo no; exit 4" }));
  expect(failing.outputs).toMatchObject({ exitCode: 4, log: "no" });
  const again = await tiny.up(smallProgram(tiny.name, { job: "echo no; exit 4" }));
  expect(again.changes).toEqual({ replace: 1, same: everything - 1 });
});

test.concurrent(
  "keeps a foreign container of the same name and reports the conflict",
  { timeout: 300_000 },
  async () => {
    await using tiny = await tinyStack();
    const foreign = await docker.createContainer({
      name: `routeql-${tiny.name}-service`,
      Image: "debian:trixie-slim",
      Cmd: ["true"],
    });
    try {
      await expect(tiny.up(smallProgram(tiny.name))).rejects.toSatisfy(
        explaining(new RegExp(`a container named routeql-${tiny.name}-service already exists`)),
      );
      expect(await orUndefined(foreign.inspect())).toBeDefined();
    } finally {
      await foreign.remove({ force: true });
    }
  },
);
