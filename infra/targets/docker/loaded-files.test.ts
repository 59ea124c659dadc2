import { expect, test } from "vitest";
import { untilLoaded } from "./loaded-files.ts";
import type { DockerClient } from "./provider-daemon.ts";

const gateway = { name: "gateway", id: "0123456789ab", command: ["healthy"] } as const;

const quick = { pause: 1 };

/** A daemon that runs no program in the gateway, and the gateway's state. */
function daemon(statusCode: number, state: object | undefined): DockerClient {
  const refused = (status: number) => Object.assign(new Error("refused"), { statusCode: status });
  const exec = () => Promise.reject(refused(statusCode));
  const inspect = () => (state === undefined ? Promise.reject(refused(404)) : Promise.resolve({ State: state }));
  return { getContainer: () => ({ exec, inspect }) } as unknown as DockerClient;
}

const unknown = "does not run, but the state does not know that. Start it again: npm run up, or pulumi up --refresh";

test.each([
  ["stopped", 409, { Running: false }, unknown],
  ["removed", 404, undefined, unknown],
  ["paused", 409, { Running: true, Paused: true }, "is paused. Continue it: docker unpause 0123456789ab"],
  [
    "restarting",
    409,
    { Running: true, Restarting: true },
    "fails when it starts, and Docker restarts it again and again. See its log: docker logs 0123456789ab",
  ],
])("names the remedy for a service that is %s", async (_, statusCode, state, message) => {
  await expect(untilLoaded(gateway, daemon(statusCode, state), { ...quick, patience: 50 })).rejects.toThrow(
    `The gateway ${message}`,
  );
});

test("asks again if the service restarts or runs by then", async () => {
  const states = [{ Running: true, Restarting: true }, { Running: true }];
  const stopped = new Error("asked again");
  const exec = () =>
    Promise.reject(states.length === 0 ? stopped : Object.assign(new Error("is restarting"), { statusCode: 409 }));
  const inspect = async () => ({ State: states.shift() });
  const docker = { getContainer: () => ({ exec, inspect }) } as unknown as DockerClient;
  await expect(untilLoaded(gateway, docker, quick)).rejects.toThrow(stopped);
});

test("a daemon that only the provider reaches is not asked", async () => {
  expect(await untilLoaded(gateway, undefined)).toBeUndefined();
});
