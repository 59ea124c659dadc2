import { describe, expect, test } from "vitest";
import { containers } from "../e2e/support/stack/docker.ts";
import { mustRun, run } from "../harness/process.ts";
import { nameOf, type OfficialImage } from "./support/official-image.ts";

interface Shape {
  readonly User?: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[] | null;
  readonly Cmd: readonly string[];
  readonly Volumes: Readonly<Record<string, unknown>> | null;
  readonly WorkingDir: string;
  readonly StopSignal?: string;
  readonly ExposedPorts: Readonly<Record<string, unknown>>;
  readonly Healthcheck?: { readonly Test: readonly string[] };
}

async function shapeOf(official: OfficialImage): Promise<Shape> {
  return JSON.parse(
    await mustRun("docker", ["image", "inspect", "--format", "{{json .Config}}", await nameOf(official)]),
  ) as Shape;
}

const expected: readonly (readonly [OfficialImage, Partial<Record<keyof Shape, unknown>>])[] = [
  [
    "postgres",
    {
      Entrypoint: ["docker-entrypoint.sh"],
      Cmd: ["postgres"],
      Volumes: { "/var/lib/postgresql/data": {} },
      StopSignal: "SIGINT",
      ExposedPorts: { "5432/tcp": {} },
    },
  ],
  [
    "valkey",
    {
      Entrypoint: ["docker-entrypoint.sh"],
      Cmd: ["valkey-server"],
      Volumes: { "/data": {} },
      WorkingDir: "/data",
      ExposedPorts: { "6379/tcp": {} },
    },
  ],
  [
    "nginx",
    {
      Entrypoint: ["/docker-entrypoint.sh"],
      Cmd: ["nginx", "-g", "daemon off;"],
      StopSignal: "SIGQUIT",
      ExposedPorts: { "80/tcp": {} },
    },
  ],
  [
    "hasura",
    {
      Cmd: ["/bin/sh", "-c", '"${HGE_BINARY}" serve'],
      Env: expect.arrayContaining(["HGE_BINARY=/bin/graphql-engine"]) as unknown,
      Healthcheck: expect.anything() as unknown,
    },
  ],
];

describe("images in the shape of the official ones", () => {
  test.each(expected)("%s has the shape of the official image", async (official, shape) => {
    const found = await shapeOf(official);
    expect(found).toMatchObject(shape);
    expect(found.User ?? "").toBe("");
  });

  test("hasura has no entry point", async () => {
    const { Entrypoint: entrypoint } = await shapeOf("hasura");
    expect(entrypoint ?? []).toEqual([]);
  });

  test.each([
    ["postgres", "postgres", "999 999"],
    ["valkey", "valkey", "999 999"],
    ["nginx", "nginx", "101 101"],
    ["hasura", "hasura", "1001 1001"],
  ] as const)("%s has the user %s with the ids %s", async (official, user, ids) => {
    const found = await mustRun("docker", [
      "run",
      "--rm",
      "--network=none",
      "--entrypoint=sh",
      await nameOf(official),
      "-c",
      `echo $(id -u ${user}) $(id -g ${user})`,
    ]);
    expect(found.trim()).toBe(ids);
  });

  test("postgres without a password does not start", async () => {
    const { code, stderr } = await run("docker", ["run", "--rm", "--network=none", await nameOf("postgres")]);
    expect(code).toBe(1);
    expect(stderr).toContain("POSTGRES_PASSWORD is empty");
  });

  test("valkey started as root runs as its own user", async () => {
    const script =
      "docker-entrypoint.sh valkey-server --save '' & until valkey-cli ping; do sleep 0.1; done; stat -c %U /proc/$!";
    const found = await mustRun("docker", [
      "run",
      "--rm",
      "--network=none",
      "--entrypoint=sh",
      await nameOf("valkey"),
      "-c",
      script,
    ]);
    expect(found.trim().split("\n").at(-1)).toBe("valkey");
  });
});

test("database, sessions and engine run on these images, the gateway on one built from them", async () => {
  const images = new Map<string, string>();
  for (const { id, service } of await containers("service"))
    images.set(service, (await mustRun("docker", ["inspect", "--format", "{{.Config.Image}}", id])).trim());
  expect(Object.fromEntries(images)).toMatchObject({
    database: await nameOf("postgres"),
    sessions: await nameOf("valkey"),
    engine: await nameOf("hasura"),
  });
  const layers = async (image: string): Promise<string[]> =>
    JSON.parse(await mustRun("docker", ["image", "inspect", "--format", "{{json .RootFS.Layers}}", image])) as string[];
  const ofNginx = await layers(await nameOf("nginx"));
  expect((await layers(images.get("gateway") ?? "")).slice(0, ofNginx.length)).toEqual(ofNginx);
});

test("no container is unhealthy, finished jobs included", async () => {
  for (const { id, name } of await containers()) {
    const health = await mustRun("docker", [
      "inspect",
      "--format",
      "{{if .State.Health}}{{.State.Health.Status}}{{end}}",
      id,
    ]);
    expect(["", "healthy"], name).toContain(health.trim());
  }
});
