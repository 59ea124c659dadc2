import { copyFile, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { Agent, request } from "undici";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { acquireCli } from "@routeql/cli/pulumi/acquire";
import { builtImages } from "@routeql/infra/images";
import { nodeImage, pluginFolders } from "@routeql/offline";
import { freePorts } from "../harness/free-ports.ts";
import { image } from "../harness/containers/image.ts";
import { mustRun } from "../harness/process.ts";
import { newStackName } from "../harness/run/stack-name.ts";
import { everythingOf } from "./support/deployed-stack.ts";

const root = resolve(import.meta.dirname, "../..");
const silent = (): void => undefined;

/** The package of the component, installed in an empty folder by a program outside of the checkout. */
describe("the packed component", { timeout: 400_000 }, () => {
  const stackName = newStackName("packed");
  let folder = "";
  let cli = "";
  let built: readonly string[] = [];
  let args: Readonly<Record<string, unknown>> = {};
  let environment: NodeJS.ProcessEnv = {};

  /** @param projectName of the program: each has a state of its own */
  async function foreign(operation: "preview" | "up" | "destroy", { remote = false, projectName = "shop" } = {}) {
    const providers = [...pluginFolders(), { name: "routeql", path: join(folder, "node_modules/pulumi-routeql") }];
    const settings = { cli: dirname(dirname(cli)), providers, stackName, projectName, args, operation, remote };
    const said = await mustRun(process.execPath, ["main.mjs"], {
      cwd: folder,
      env: { ...environment, ROUTEQL_FOREIGN: JSON.stringify(settings) },
      timeout: 400_000,
    });
    return JSON.parse(said) as { changes: Record<string, number>; outputs: Record<string, string> };
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "routeql-packed-"));
    await mustRun(process.execPath, ["infra/pack.ts", folder], { cwd: root });
    const tarball = (await readdir(folder)).find((name) => name.endsWith(".tgz"))!;
    await writeFile(join(folder, "package.json"), JSON.stringify({ name: "shop", type: "module", private: true }));
    await mustRun("npm", ["install", "--ignore-scripts", "--prefer-offline", `./${tarball}`], { cwd: folder });
    await copyFile(join(import.meta.dirname, "support/foreign-program.mjs"), join(folder, "main.mjs"));
    const { signal } = new AbortController();
    cli = (await acquireCli({ say: silent, show: silent, onLine: silent, signal })).command.command;
    environment = {
      ...process.env,
      PULUMI_HOME: join(folder, "home"),
      PULUMI_CONFIG_PASSPHRASE: "passphrase of the test",
      PULUMI_SKIP_UPDATE_CHECK: "true",
      PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
      ROUTEQL_NODE: process.execPath,
    };
    const [httpPort, httpsPort, consolePort] = await freePorts(3);
    built = await Promise.all(builtImages().map(({ name }) => image(name)));
    const nodeBase = builtImages({ nodeBase: nodeImage }).every(({ imageName }) => built.includes(imageName))
      ? nodeImage
      : undefined;
    const [metadata, migrations] = ["metadata", "migrations"].map((name) => join(root, "docs/start/desk", name));
    args = {
      engine: { kind: "embedded" },
      nodeBase,
      metadata,
      migrations,
      gateway: { httpPort, httpsPort, consolePort },
      // Docker would take eight large ranges, which can cover the pool from which the other stacks take theirs.
      networkRange: "10.83.0.0/24",
    };
  }, 600_000);

  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  }, 200_000);

  test("has a schema with the descriptions of the settings", async () => {
    const plugin = join(folder, "node_modules/pulumi-routeql/pulumi-resource-routeql");
    const said = await mustRun(cli, ["package", "get-schema", plugin], { env: environment });
    const { types } = JSON.parse(said) as {
      types: Record<string, { properties: Record<string, { description: string }> }>;
    };
    const { publicHost } = types["routeql:index:Gateway"]?.properties ?? {};
    expect(publicHost?.description).toMatch(/^Host name that clients use/);
  });

  test("has types that a program without skipLibCheck compiles with", async () => {
    const program =
      'import { RouteQL } from "pulumi-routeql";\nnew RouteQL("routes", { gateway: { publicHost: 1 } });\n';
    await writeFile(join(folder, "types.ts"), program);
    const options = ["--noEmit", "--strict", "--module", "nodenext", "--target", "es2022", "--types", "node"];
    const tsc = join(root, "node_modules/.bin/tsc");
    await expect(mustRun(tsc, [...options, "types.ts"], { cwd: folder })).rejects.toThrow(/types\.ts.*TS2322/);
    await writeFile(join(folder, "types.ts"), program.replace("1", '"routes.example.net"'));
    expect(await mustRun(tsc, [...options, "types.ts"], { cwd: folder })).toBe("");
  });

  test("is constructed by its plugin, with outputs in a group of arguments", async () => {
    const { changes } = await foreign("preview", { remote: true });
    expect(changes["create"]).toBeGreaterThan(60);
  });

  test("comes up with the images of the checkout, answers, and a second update changes nothing", async () => {
    const { changes, outputs } = await foreign("up");
    expect(Object.keys(changes)).toEqual(["create"]);
    const label = `label=com.routeql.stack=${stackName}`;
    const used = await mustRun("docker", ["ps", "--all", "--filter", label, "--format", "{{.Image}}"]);
    expect(built).toEqual(expect.arrayContaining(used.trim().split("\n")));
    const dispatcher = new Agent({ connect: { ca: outputs["caCertificate"] } });
    const answer = async (role: string, field: string, root = "view_hijacks"): Promise<unknown> => {
      const key = outputs["engineAccessKey"];
      const { body } = await request(`${outputs["url"]}/api/graphql`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-engine-access-key": key, "x-hasura-role": role },
        body: JSON.stringify({ query: `{ ${root}(limit: 1) { ${field} } }` }),
        dispatcher,
      });
      return body.json();
    };
    expect(await answer("operator", "comment")).toEqual({ data: { view_hijacks: [] } });
    // A role and a table of the own metadata and migrations.
    expect(await answer("desk", "note hijack { key }", "desk_notes")).toEqual({ data: { desk_notes: [] } });
    expect(await answer("desk", "hijack_as")).toEqual({ data: { view_hijacks: [] } });
    expect(await answer("desk", "comment")).toHaveProperty("errors");
    await dispatcher.close();
    expect(Object.keys((await foreign("up")).changes)).toEqual(["same"]);
  });

  test("another state with the same names is refused, and leaves everything", async () => {
    const before = await everythingOf(stackName);
    const other = { projectName: "other" };
    await expect(foreign("up", other)).rejects.toThrow(/on this Docker daemon belongs to another Pulumi state/);
    expect(await everythingOf(stackName)).toEqual(before);
    expect(Object.keys((await foreign("destroy", other)).changes)).toEqual(["delete"]);
    expect(await everythingOf(stackName)).toEqual(before);
    expect(Object.keys((await foreign("up")).changes)).toEqual(["same"]);
  });

  test("destroy removes everything but the data", async () => {
    await foreign("destroy");
    expect((await everythingOf(stackName)).filter((object) => !object.startsWith("volume "))).toEqual([]);
  });
});
