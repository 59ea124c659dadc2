import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { askRegistry, pullImage, pushImage } from "@routeql/host/docker/pull";
import { pins } from "@routeql/pins/pins";
import { requireLoopback } from "../harness/containers/container-address.ts";
import { PrivateRegistry } from "../harness/containers/private-registry.ts";
import { mustRun, run } from "../harness/process.ts";

const options = { show: () => undefined, onLine: () => undefined, signal: new AbortController().signal };
let registry: PrivateRegistry;
let image: string;

beforeAll(async () => {
  registry = await PrivateRegistry.start();
  image = registry.name("team/small:1.0");
  await mustRun("docker", ["tag", pins.debian.image, image]);
});

afterAll(async () => {
  await run("docker", ["image", "rm", image]);
  await registry[Symbol.asyncDispose]();
});

const withConfig = (): void => void vi.stubEnv("DOCKER_CONFIG", registry.configFolder);

describe("a private registry", () => {
  test("without a login pushing and pulling fail with 401 and the remedy docker login", async () => {
    withConfig();
    const remedy = `run docker login ${registry.host}.`;
    await expect(pushImage(image, options)).rejects.toMatchObject({
      message: expect.stringContaining("requires a login (401)"),
      remedy,
    });
    await expect(pullImage(image, options)).rejects.toMatchObject({
      message: expect.stringContaining("requires a login (401)"),
      remedy,
    });
    expect(await askRegistry(image)).toMatchObject({ kind: "login", remedy });
  });

  test("after docker login pushing and pulling work", async () => {
    withConfig();
    await registry.login();
    await pushImage(image, options);
    await mustRun("docker", ["image", "rm", image]);
    expect(await askRegistry(image)).toBeUndefined();
    await pullImage(image, options);
    await mustRun("docker", ["image", "inspect", image]);
  });

  test("a wrong name fails with 404 and a remedy", async () => {
    withConfig();
    const wrong = registry.name("team/small:9.9");
    expect(await askRegistry(wrong)).toMatchObject({ kind: "name", remedy: "check the image's name and tag." });
    await expect(pullImage(wrong, options)).rejects.toThrow(/no image of this name and tag \(404\)/);
  });

  test("names a stored password that no longer works", async () => {
    withConfig();
    const auth = Buffer.from(`${registry.user}:wrong-password`).toString("base64");
    await writeFile(
      join(registry.configFolder, "config.json"),
      JSON.stringify({ auths: { [registry.host]: { auth } } }),
    );
    expect(await askRegistry(image)).toMatchObject({
      kind: "login",
      remedy: expect.stringContaining("rejects the stored credentials"),
    });
  });
});

/** A registry that answers every request with one status. */
async function answering(status: number, code: string): Promise<{ server: Server; image: string }> {
  const server = createServer((_, response) => {
    response
      .writeHead(status, { "Content-Type": "application/json" })
      .end(JSON.stringify({ errors: [{ code, message: code.toLowerCase() }] }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, image: `127.0.0.1:${(server.address() as AddressInfo).port}/team/small:1.0` };
}

test.for([
  [429, "TOOMANYREQUESTS", "rate", /rate limit is reached \(429\)/],
  [403, "DENIED", "denied", /denies access \(403\)/],
] as const)("recognises a registry that answers %i", async ([status, code, kind, message], context) => {
  requireLoopback(context);
  withConfig();
  const { server, image: there } = await answering(status, code);
  expect(await askRegistry(there)).toMatchObject({ kind });
  await expect(pullImage(there, options)).rejects.toThrow(message);
  server.close();
});

test("recognises an unreachable registry", async () => {
  withConfig();
  const { server, image: there } = await answering(200, "OK");
  server.close();
  await once(server, "close");
  expect(await askRegistry(there)).toMatchObject({
    kind: "unreachable",
    remedy: expect.stringContaining("imageMirror"),
  });
});
