import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { MetadataFolder, sound, tableFile } from "hasura-checks/testing/tool";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { run } from "@routeql/tests/harness/process";

/** The GitHub action and the pre-commit hook, run like on their systems. npx is replaced, so that nothing is downloaded. */

const repository = resolve(import.meta.dirname, "../..");
const read = (name: string): unknown => parse(readFileSync(join(repository, name), "utf8"));

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly runs: {
    readonly using: string;
    readonly steps: readonly {
      readonly shell?: string;
      readonly run?: string;
      readonly env?: Readonly<Record<string, string>>;
    }[];
  };
}

const open = tableFile("note", "columns: [id]\nfilter: {}\nlimit: 1");
let programs: string;

beforeAll(() => {
  programs = mkdtempSync(join(tmpdir(), "hasura-checks-ci-"));
  mkdirSync(join(programs, "bin"));
  const command = join(repository, "hasura-checks/bin/hasura-checks.js");
  writeFileSync(
    join(programs, "bin/npx"),
    `#!/bin/sh\nwhile [ "$1" != hasura-checks ]; do [ "$1" != --package ] || shift; shift; done\nshift\nexec "${process.execPath}" "${command}" "$@"\n`,
  );
  chmodSync(join(programs, "bin/npx"), 0o755);
});

afterAll(() => rmSync(programs, { recursive: true }));

const path = () => `${join(programs, "bin")}:${process.env["PATH"] ?? ""}`;

async function runAction(directory: string, given: Readonly<Record<string, string>>) {
  const { inputs, runs } = read("action.yml") as Action;
  for (const name of Object.keys(given)) expect(Object.keys(inputs)).toContain(name);
  const step = runs.steps.find((each) => each.run !== undefined);
  const env = Object.entries(step?.env ?? {}).map(([name, value]) => {
    const input = /^\$\{\{ inputs\.(\w+) \}\}$/.exec(value)?.[1] ?? "";
    return [name, given[input] ?? inputs[input]?.default ?? ""] as const;
  });
  return run("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", step?.run ?? "exit 9"], {
    cwd: directory,
    env: { ...Object.fromEntries(env), PATH: path(), TMPDIR: programs },
  });
}

test("the GitHub action annotates findings and fails by the exit code", { timeout: 60_000 }, async () => {
  using folder = new MetadataFolder([open]);
  expect(await runAction(folder.path, { metadata: "metadata" })).toMatchObject({
    code: 1,
    stdout: expect.stringContaining("::warning file=metadata/databases/default/tables/t0.yaml") as string,
  });
  folder.commit();
  expect(await runAction(folder.path, { base: "HEAD" })).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("1 in HEAD already") as string,
  });
  expect(
    await runAction(folder.path, { verb: "permissions", database: "postgres://app:sesame@127.0.0.1:1/app" }),
  ).toMatchObject({ code: 2, stderr: expect.not.stringContaining("sesame") as string });
  // The file with the URL is gone.
  expect(readdirSync(programs)).toEqual(["bin"]);
});

test("the pre-commit hook lints metadata alone and fails by the exit code", { timeout: 60_000 }, async () => {
  const [hook] = read(".pre-commit-hooks.yaml") as readonly {
    readonly id: string;
    readonly entry: string;
    readonly files: string;
    readonly pass_filenames: boolean;
    readonly language: string;
  }[];
  expect(hook).toMatchObject({ id: "hasura-checks", language: "system", pass_filenames: false });
  const files = new RegExp(hook?.files ?? "");
  expect(
    [
      "hasura/metadata/databases/default/tables/a.yaml",
      "hasura-metadata/version.yaml",
      "src/metadata.ts",
      "README.md",
    ].map((file) => files.test(file)),
  ).toEqual([true, true, false, false]);
  using folder = new MetadataFolder([open]);
  expect(await run("sh", ["-c", hook?.entry ?? ""], { cwd: folder.path, env: { PATH: path() } })).toMatchObject({
    code: 1,
  });
  using clean = new MetadataFolder([tableFile("note", sound)]);
  expect(await run("sh", ["-c", hook?.entry ?? ""], { cwd: clean.path, env: { PATH: path() } })).toMatchObject({
    code: 0,
  });
});
