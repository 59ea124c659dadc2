import { Readable } from "node:stream";
import Docker from "dockerode";
import { expect, test } from "vitest";
import { Failure } from "../failure.ts";
import { clientOptions, type DaemonMessage, follow, withoutDaemon } from "./client.ts";
import type { DaemonAddress } from "./daemon-address.ts";

async function failureOf(address: DaemonAddress): Promise<Failure> {
  const error: unknown = await new Docker(clientOptions(address)).listContainers().catch((reason: unknown) => reason);
  return withoutDaemon(error, address) as Failure;
}

test.each([
  ["unix:///nowhere/docker.sock", "the standard socket", "start Docker"],
  ["tcp://127.0.0.1:1", "DOCKER_HOST", "start that daemon, or unset DOCKER_HOST"],
  [
    "unix:///home/anna/.docker/run/docker.sock",
    "the Docker context desktop-linux",
    "start Docker Desktop, or choose another context",
  ],
  ["unix:///home/anna/.colima/default/docker.sock", "the Docker context colima", "colima start"],
  ["unix:///run/user/4711/docker.sock", "the socket of rootless Docker", "systemctl --user start docker"],
])("an unreachable daemon at %s is reported with its origin and the next step", async (endpoint, origin, next) => {
  const failure = await failureOf({ endpoint, origin });
  expect(failure).toBeInstanceOf(Failure);
  expect(failure.message).toContain(`No Docker daemon answers at ${endpoint} (${origin})`);
  expect(failure.remedy).toContain(next);
});

test.each([
  ["/var/run/docker.sock", "the standard socket", "join the group docker"],
  ["/run/user/4711/docker.sock", "DOCKER_HOST", "belongs to another user"],
])("a user without access to %s gets the remedy", (path, origin, next) => {
  const error = Object.assign(new Error(`connect EACCES ${path}`), {
    code: "EACCES",
    syscall: "connect",
    address: path,
  });
  const failure = withoutDaemon(error, { endpoint: `unix://${path}`, origin }) as Failure;
  expect(failure.message).toBe(`This user may not use the Docker daemon at unix://${path} (${origin})`);
  expect(failure.remedy).toContain(next);
});

test("a connection to another server, and any other error, stay unchanged", () => {
  for (const error of [
    Object.assign(new Error("connect"), { syscall: "connect", address: "127.0.0.1", port: 5432 }),
    new Error("other"),
    "text",
  ]) {
    expect(withoutDaemon(error, { endpoint: "unix:///s", origin: "DOCKER_HOST" })).toBe(error);
  }
});

const streamOf = (...messages: DaemonMessage[]): Readable =>
  Readable.from(messages.map((message) => `${JSON.stringify(message)}\r\n`));

test("passes on every message, in order", async () => {
  const seen: DaemonMessage[] = [];
  await follow(streamOf({ stream: "Step 1" }, { status: "done" }), (message) => seen.push(message));
  expect(seen).toEqual([{ stream: "Step 1" }, { status: "done" }]);
});

test("reports a failure among the messages, also when other messages follow", async () => {
  const messages = streamOf(
    { stream: "Step 1" },
    { error: "The command returned a non-zero code: 7" },
    { stream: "removed" },
  );
  await expect(follow(messages)).rejects.toThrow("non-zero code: 7");
});

test("reports a broken connection as a failure", async () => {
  const broken = new Readable({ read: () => undefined });
  const followed = follow(broken);
  broken.destroy(new Error("reset"));
  await expect(followed).rejects.toThrow("reset");
});
