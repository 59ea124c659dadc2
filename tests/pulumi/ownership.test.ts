import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { dockerClient } from "@routeql/host/docker/client";
import { run } from "../harness/process.ts";
import { checkOut, type Checkout, type CommandEnd } from "./support/checkout.ts";
import { type DeployedStack, deployedStack, everythingOf } from "./support/deployed-stack.ts";

const count = "{ view_bgpupdates_aggregate { aggregate { count } } }";
const rows = { data: { view_bgpupdates_aggregate: { aggregate: { count: 30 } } } };

/** All commands about a stack, run from a second checkout. */
const commands: readonly (readonly [name: string, ...args: readonly string[]])[] = [
  ["up"],
  ["preview"],
  ["down"],
  ["down", "--volumes"],
  ["load", "--demo", "10"],
  ["detect", "prefixes.yaml"],
  ["prune", "--keep-days", "1"],
  ["restore", "--replace", "package.json"],
  ["backup", "--to", "all.dump"],
  ["psql", "-c", "drop schema routing cascade"],
  ["schema", "--role", "viewer"],
  ["users", "list"],
  ["keys", "list"],
  ["logs"],
];

describe("two checkouts on one Docker daemon", { timeout: 400_000 }, () => {
  let first: DeployedStack;
  let second: Checkout;
  const inFirst = (name: string, ...args: readonly string[]): Promise<CommandEnd> =>
    first.checkout.command(name, first.name, args);
  const inSecond = (name: string, ...args: readonly string[]): Promise<CommandEnd> =>
    second.command(name, first.name, args);
  const succeeds = async (end: Promise<CommandEnd>): Promise<string> => {
    const { code, output } = await end;
    expect(code, output).toBe(0);
    return output;
  };

  beforeAll(async () => {
    first = await deployedStack({ ENGINE: "embedded" });
    second = await checkOut(
      Object.fromEntries(
        (await readFile(join(first.checkout.folder, ".env"), "utf8"))
          .trim()
          .split("\n")
          .map((line) => line.split("=") as [string, string]),
      ),
    );
    await second.edit("prefixes.yaml", () => "prefixes:\n  - prefix: 192.0.2.0/24\n    origins: [64496]\n");
    await first.up();
    await succeeds(inFirst("load", "--demo", "30"));
  }, 600_000);

  afterAll(async () => {
    await second?.[Symbol.asyncDispose]();
    await first?.[Symbol.asyncDispose]();
  }, 200_000);

  const lines = commands.map((words) => ({ line: words.join(" "), words }));
  test.each(lines)("rejects `$line` of the other checkout and names the owner", async ({ words: [name, ...args] }) => {
    const before = await everythingOf(first.name);
    const { code, output } = await inSecond(name, ...args);
    expect(code, output).not.toBe(0);
    expect(output).toContain(`belongs to the checkout ${first.checkout.folder}`);
    expect(output).toContain("What to do:");
    expect(await everythingOf(first.name)).toEqual(before);
    expect(await first.query(count)).toEqual(rows);
  });

  test("every object of the stack has the identity of its state", async () => {
    const { state } = JSON.parse(
      await readFile(join(first.checkout.folder, ".routeql", first.name, "identity.json"), "utf8"),
    ) as { state: string };
    const filters = { label: [`com.routeql.stack=${first.name}`] };
    const docker = dockerClient();
    const all = [
      ...(await docker.listContainers({ all: true, filters })),
      ...(await docker.listNetworks({ filters })),
      ...(await docker.listVolumes({ filters })).Volumes,
    ];
    expect(all.length).toBeGreaterThan(20);
    expect(new Set(all.map(({ Labels }) => Labels?.["com.routeql.state"]))).toEqual(new Set([state]));
  });

  test("plain `pulumi up` with another state refuses the stack before it creates anything", async () => {
    await using third = await checkOut({});
    const before = await everythingOf(first.name);
    const started = Date.now();
    const { stdout, stderr } = await run(process.execPath, ["tests/pulumi/support/plain-up.ts", first.name], {
      cwd: third.folder,
      timeout: 120_000,
    });
    expect(stdout + stderr).toMatch(/preview failed[^]*up failed/);
    expect(stdout + stderr).toContain(`belongs to the checkout ${first.checkout.folder}`);
    expect(stdout + stderr).toContain("npm run down -- --volumes --adopt");
    expect(stdout + stderr).not.toContain("error serializing");
    const state = await readFile(
      join(third.folder, `.routeql/${first.name}/state/.pulumi/stacks/routeql/${first.name}.json`),
      "utf8",
    );
    const { checkpoint } = JSON.parse(state) as { checkpoint: { latest: { resources: { type: string }[] } } };
    const types = checkpoint.latest.resources.map(({ type }) => type).filter((type) => !type.startsWith("pulumi:"));
    expect(types).toEqual([]);
    expect(Date.now() - started).toBeLessThan(60_000);
    expect(await everythingOf(first.name)).toEqual(before);
    expect(await first.query(count)).toEqual(rows);
  });

  test("rejects a copied checkout while the original exists", async () => {
    await using copy = await checkOut({});
    await cp(join(first.checkout.folder, ".routeql"), join(copy.folder, ".routeql"), { recursive: true });
    const { code, output } = await copy.command("down", first.name, ["--volumes"]);
    expect(code).toBe(1);
    expect(output).toContain(`belongs to the checkout ${first.checkout.folder}`);
    expect(await first.query(count)).toEqual(rows);
  });

  test("rejects a state of another Docker daemon", async () => {
    const file = `.routeql/${first.name}/identity.json`;
    let before = "";
    await first.checkout.edit(file, (text) => {
      before = text;
      return text.replace('"id":"', '"id":"another ');
    });
    for (const [name, ...args] of [["up"], ["down", "--volumes"], ["users", "list"]] as const) {
      const { code, output } = await inFirst(name, ...args);
      expect(code).toBe(1);
      expect(output).toContain("and this is the Docker daemon");
    }
    expect(await first.query(count)).toEqual(rows);
    await first.checkout.edit(file, () => before);
  });

  test("down --adopt of the other checkout removes the containers, and the owner keeps the data", async () => {
    await succeeds(inSecond("down", "--adopt"));
    expect((await everythingOf(first.name)).every((name) => name.startsWith("volume "))).toBe(true);
    const { code, output } = await inSecond("up", "--adopt");
    expect(code).toBe(1);
    expect(output).toContain(`copy ${first.checkout.folder}/.routeql/${first.name} here`);
    await first.up();
    expect(await first.query(count)).toEqual(rows);
  });

  test("without a claim the labels name the owner", async () => {
    await dockerClient().getVolume(`routeql-${first.name}-claim`).remove();
    const { code, output } = await inSecond("down", "--volumes");
    expect(code).toBe(1);
    expect(output).toContain("belongs to another Pulumi state");
    expect(await first.up()).toBe("nothing changed");
    expect((await inSecond("down")).output).toContain(`belongs to the checkout ${first.checkout.folder}`);
  });

  test("an older checkout refuses `up` and `preview` and names both states", async () => {
    const setBuild = (build: number): Promise<void> =>
      writeFile(join(first.checkout.folder, "infra/build.json"), JSON.stringify({ build }));
    const setVersion = (from: string, to: string): Promise<void> =>
      first.checkout.edit("infra/package.json", (text) => text.replace(`"version": "${from}"`, `"version": "${to}"`));
    await setVersion("0.1.0", "0.2.0");
    await setBuild(2);
    await first.up();
    await setBuild(1);
    expect((await inFirst("preview")).output).toMatch(
      /deployed by RouteQL 0\.2\.0 \(build 2, .*newer than this checkout, RouteQL 0\.2\.0 \(build 1, /,
    );
    await setVersion("0.2.0", "0.1.0");
    const before = await everythingOf(first.name);
    for (const command of ["up", "preview"]) {
      const { code, output } = await inFirst(command);
      expect(code, output).toBe(1);
      expect(output).toMatch(/was deployed by RouteQL 0\.2\.0 \(.*newer than this checkout, RouteQL 0\.1\.0/);
    }
    expect(await everythingOf(first.name)).toEqual(before);
  });

  test("down --volumes --adopt frees the name, and then the former owner is rejected", async () => {
    await succeeds(inSecond("down", "--volumes", "--adopt"));
    expect(await everythingOf(first.name)).toEqual([]);
    await succeeds(inSecond("up"));
    const { code, output } = await inFirst("down", "--volumes");
    expect(code).toBe(1);
    expect(output).toContain(`belongs to the checkout ${second.folder}`);
    await succeeds(inSecond("down", "--volumes"));
  });
});
