import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { image } from "../harness/containers/image.ts";
import { mustRun, run } from "../harness/process.ts";
import { startGatewayParts, type GatewayParts } from "./support/gateway-parts.ts";

const repository = resolve(import.meta.dirname, "../..");
const users = {
  gateway: 10_101,
  engine: 10_102,
  "auth-sidecar": 10_103,
  sessions: 10_104,
  database: 10_105,
  "database-tools": 10_106,
  feed: 10_115,
} as const;
const withNode = ["engine", "auth-sidecar", "database-tools", "feed"] as const;

const confined = [
  "--rm",
  "--read-only",
  "--cap-drop",
  "ALL",
  "--security-opt",
  "no-new-privileges",
  "--network",
  "none",
];
const shell = async (name: string, script: string): Promise<string> =>
  mustRun("docker", ["run", ...confined, "--entrypoint", "/bin/sh", await image(name), "-c", script]);

/** Built only on request: apply-metadata starts from Hasura's image, and monitoring belongs to the setting with the same name. */
const onRequest = { "apply-metadata": 10_107, monitoring: 10_110 } as const;

test("each service has an image with its own user", () => {
  const folders = readdirSync(resolve(repository, "images"), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  const all = { ...users, ...onRequest };
  expect(folders.map((entry) => entry.name).sort()).toEqual(Object.keys(all).sort());
  expect(new Set(Object.values(all)).size).toBe(Object.keys(all).length);
});

test.each(Object.entries(onRequest))("the image %s ends with its numeric user", (name, user) => {
  expect(
    readFileSync(resolve(repository, "images", name, "Dockerfile"), "utf8")
      .match(/^USER .*$/gm)
      ?.at(-1),
  ).toBe(`USER ${user}:${user}`);
});

describe.each(Object.entries(users))("the image %s", (name, user) => {
  test(`runs as ${user} and can gain nothing`, async () => {
    expect(
      (await shell(name, "id -u; id -g; grep -E '^(CapPrm|CapEff|NoNewPrivs)' /proc/self/status")).trim().split(/\s+/),
    ).toEqual([
      String(user),
      String(user),
      "CapPrm:",
      "0000000000000000",
      "CapEff:",
      "0000000000000000",
      "NoNewPrivs:",
      "1",
    ]);
  });

  test("contains no package caches and no build tools", async () => {
    expect(await shell(name, "find /var/lib/apt/lists /var/cache/apt -type f -size +0 2>/dev/null || true")).toBe("");
    expect(await shell(name, "command -v npm npx gcc cc make git || true")).toBe("");
  });

  test("declares a numeric user, for orchestrators that check it", async () => {
    expect(
      (await mustRun("docker", ["image", "inspect", "--format", "{{.Config.User}}", await image(name)])).trim(),
    ).toBe(`${user}:${user}`);
  });
});

describe.each(withNode)("the image %s", (name) => {
  test("contains no tests, development dependencies or lock files", async () => {
    expect(await shell(name, "find /routeql -path '*/node_modules' -prune -o -name '*.test.ts' -print")).toBe("");
    expect(
      await shell(
        name,
        "ls /routeql /routeql/node_modules | grep -E '^(vitest|typescript|oxlint|package-lock.json)$' || true",
      ),
    ).toBe("");
  });
});

describe("the gateway's container", () => {
  let parts: GatewayParts;
  beforeAll(async () => void (parts = await startGatewayParts()));
  afterAll(() => parts?.[Symbol.asyncDispose]());

  test("accepts its rendered configuration", async () => {
    const { exitCode, output } = await parts.gateway.exec(["nginx", "-t", "-c", "/run/routeql/nginx/nginx.conf"]);
    expect([exitCode, output]).toEqual([0, expect.stringContaining("test is successful")]);
    expect(output).not.toMatch(/warn|alert|emerg/);
  });

  test("is healthy while it serves, independent of the services behind it", async () => {
    await parts.engine.stop();
    expect((await parts.gateway.exec(["healthy"])).exitCode).toBe(0);
  });

  test("stops when requested", async () => {
    const { code } = await run("docker", ["stop", "--time", "60", parts.gateway.getId()]);
    expect(code).toBe(0);
    // A killed process has another exit code.
    expect(
      (await mustRun("docker", ["inspect", "--format", "{{.State.ExitCode}}", parts.gateway.getId()])).trim(),
    ).toBe("0");
  });
});
