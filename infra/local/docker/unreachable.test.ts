import Docker from "dockerode";
import { expect, test } from "vitest";
import { Failure } from "../foundation/failure.ts";
import { withoutEngine } from "./unreachable.ts";

async function failureOf(docker: Docker): Promise<unknown> {
  const error: unknown = await docker.listContainers().catch((reason: unknown) => reason);
  return withoutEngine(error, docker);
}

test.each([
  ["whose socket is not there", new Docker({ socketPath: "/nowhere/docker.sock" })],
  ["whose port nobody listens on", new Docker({ protocol: "http", host: "127.0.0.1", port: 1 })],
])("an engine %s is said, with what to do", async (_, docker) => {
  const failure = await failureOf(docker);
  expect(failure).toBeInstanceOf(Failure);
  expect(failure).toMatchObject({ message: expect.stringMatching(/^No Docker engine answers: /), remedy: expect.stringContaining("DOCKER_HOST") });
});

test("one that this user may not talk to is said to refuse", () => {
  const error = Object.assign(new Error("connect EACCES /s"), { code: "EACCES", syscall: "connect", address: "/s" });
  expect(withoutEngine(error, new Docker({ socketPath: "/s" }))).toMatchObject({ message: "The Docker engine refuses this user" });
});

test("a connection to something else, and any other error, stay what they are", () => {
  const docker = new Docker({ socketPath: "/s" });
  for (const error of [Object.assign(new Error("connect"), { syscall: "connect", address: "127.0.0.1", port: 5432 }), new Error("other"), "text"]) {
    expect(withoutEngine(error, docker)).toBe(error);
  }
});
