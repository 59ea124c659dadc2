import { expect, test } from "vitest";
import { type DockerClient, enginePlatform } from "./provider-engine.ts";

const engine = (version: () => Promise<object>): DockerClient => ({ version }) as unknown as DockerClient;

test("the platform of an image is that of the engine", async () => {
  expect(await enginePlatform(engine(async () => ({ Os: "linux", Arch: "arm64" })))).toBe("linux/arm64");
});

test("an engine without an answer leaves the choice to the provider", async () => {
  expect(await enginePlatform(engine(() => Promise.reject(new Error("refused"))))).toBeUndefined();
});
