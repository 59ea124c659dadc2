import { expect, test } from "vitest";
import { type DockerClient, daemonPlatform } from "./provider-daemon.ts";

const daemon = (version: () => Promise<object>): DockerClient => ({ version }) as unknown as DockerClient;

test("the platform of an image is that of the daemon", async () => {
  expect(await daemonPlatform(daemon(async () => ({ Os: "linux", Arch: "arm64" })))).toBe("linux/arm64");
});

test("a daemon without an answer leaves the choice to the provider", async () => {
  expect(await daemonPlatform(daemon(() => Promise.reject(new Error("refused"))))).toBeUndefined();
});
