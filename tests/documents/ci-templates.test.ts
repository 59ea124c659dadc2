import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { formats } from "hasura-checks/reports/print";
import { suites } from "../runner/suites.ts";

const repository = resolve(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(repository, path), "utf8");
const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Record<string, unknown>;
}

interface GitHubWorkflow {
  readonly permissions: Record<string, string>;
  readonly jobs: Record<string, { readonly steps: readonly Step[] }>;
}

const github = parse(read("ci-templates/github/routeql.yml")) as GitHubWorkflow;
const gitlab = parse(read("ci-templates/gitlab/.gitlab-ci.yml")) as Record<
  string,
  { readonly script?: readonly string[] }
>;
const steps = Object.values(github.jobs).flatMap((job) => job.steps);

/** Every command in a workflow must be one of this repository's. */
function expectKnown(command: string): void {
  expect(command.replace(/ > [\w.-]+\.json \|\| true$/, "")).not.toMatch(/[>|;&]/);
  const [program, verb, ...rest] = command.split(/\s+/) as [string, string, ...string[]];
  if (program === "npx") {
    expect(["hasura-checks", "routeql"]).toContain(verb);
    expect(["check", "lint", "diff", "permissions"]).toContain(rest[0]);
    const format = /--format (\w+)/.exec(command)?.[1] ?? "text";
    expect(formats).toContain(format);
    return;
  }
  expect(program).toBe("npm");
  if (verb === "ci") return;
  if (verb === "run") {
    expect(Object.keys(scripts)).toContain(rest[0]);
    return;
  }
  expect([verb, rest[0]]).toEqual(["test", "--"]);
  for (const name of rest.slice(1)) expect(suites.map((suite) => suite.name)).toContain(name);
}

describe("the workflow for GitHub", () => {
  test("may only read the repository, and leaves no credentials in it", () => {
    expect(github.permissions).toEqual({ contents: "read" });
    expect(Object.values(github.jobs).every((job) => !("permissions" in job))).toBe(true);
    for (const step of steps.filter(({ uses }) => uses?.startsWith("actions/checkout")))
      expect(step.with?.["persist-credentials"]).toBe(false);
  });

  test("calls only existing commands", () => {
    const commands = steps.flatMap(({ run }) => (run === undefined ? [] : [run]));
    expect(commands.length).toBeGreaterThan(0);
    for (const command of commands) expectKnown(command);
  });

  test("puts no text of a pull request into a command", () => {
    for (const { run } of steps) expect(run ?? "").not.toContain("${{");
  });
});

describe("the pipeline for GitLab", () => {
  test("calls only existing commands", () => {
    const commands = Object.values(gitlab).flatMap(({ script = [] }) => script);
    expect(commands.length).toBeGreaterThan(0);
    for (const command of commands) expectKnown(command);
  });
});

describe("the job that pushes images", () => {
  const commands = (parse(read("ci-templates/gitlab/images.gitlab-ci.yml")) as { images: { script: string[] } }).images
    .script;

  test("runs the same commands on GitHub and GitLab, all of this repository", () => {
    const workflow = parse(read("ci-templates/github/images.yml")) as GitHubWorkflow;
    const run = workflow.jobs["images"]!.steps.flatMap((step) => step.run ?? []);
    expect(run).toEqual(["npm ci", ...commands]);
    for (const command of commands.filter((each) => !each.startsWith("sh "))) expectKnown(command);
    for (const [, option] of commands.join(" ").matchAll(/--(build|digests|out)\b/g))
      expect(read("cli/commands/render.ts")).toContain(`${option}: {`);
  });

  test("has a stage of the pipeline that includes it", () => {
    const { images } = parse(read("ci-templates/gitlab/images.gitlab-ci.yml")) as { images: { stage: string } };
    const { stages } = parse(read("ci-templates/gitlab/.gitlab-ci.yml")) as { stages: string[] };
    expect(stages).toContain(images.stage);
  });

  /** Runs the script with a Docker client that records its calls and whose scanner fails for `refused`. */
  function push(images: readonly string[], refused = "none"): { code: number | null; out: string; calls: string[] } {
    const folder = mkdtempSync(join(tmpdir(), "routeql-push-"));
    try {
      const digest = `sha256:${"3".repeat(64)}`;
      const docker = `#!/bin/sh
echo "$*" >> ${folder}/calls
case "$*" in
  run*${refused}) exit 1 ;;
  "image inspect --format"*) for last; do :; done; echo "other.example.net/x@sha256:00"; echo "\${last%:*}@${digest}" ;;
esac
`;
      writeFileSync(join(folder, "docker"), docker, { mode: 0o755 });
      writeFileSync(join(folder, "images.txt"), images.map((image) => `${image}\n`).join(""));
      const environment = { ...process.env, PATH: `${folder}:${process.env["PATH"]}` };
      const script = join(repository, "ci-templates/push-images.sh");
      const { status, stdout } = spawnSync("sh", [script, join(folder, "images.txt")], {
        env: environment,
        encoding: "utf8",
      });
      const calls = readFileSync(join(folder, "calls"), "utf8").trim().split("\n");
      return { code: status, out: stdout, calls };
    } finally {
      rmSync(folder, { recursive: true });
    }
  }
  const own = "registry.example.net:5000/kit/routeql/gateway:0123456789ab";

  test("pushes only images of this project and prints every digest", () => {
    const { code, out, calls } = push([own, "hasura/graphql-engine:v2"]);
    expect(code).toBe(0);
    const digest = `@sha256:${"3".repeat(64)}`;
    expect(out).toBe(`${own}${digest}\nhasura/graphql-engine:v2${digest}\n`);
    expect(calls.filter((call) => call.startsWith("push"))).toEqual([`push --quiet ${own}`]);
  });

  test("keeps the digest of a setting, and pushes own images of a pinned list", () => {
    const digest = `@sha256:${"3".repeat(64)}`;
    const pinned = `hasura/graphql-engine:v2@sha256:${"4".repeat(64)}`;
    const { code, out, calls } = push([`${own}@sha256:${"5".repeat(64)}`, pinned]);
    expect({ code, out }).toEqual({ code: 0, out: `${own}${digest}\n${pinned}\n` });
    expect(calls.filter((call) => call.startsWith("push"))).toEqual([`push --quiet ${own}`]);
    expect(calls.filter((call) => call.startsWith("run") && call.endsWith(` ${pinned}`))).toHaveLength(1);
  });

  test("pushes nothing when the scanner rejects an image", () => {
    const { code, out, calls } = push([own, "hasura/graphql-engine:v2"], "hasura/graphql-engine:v2");
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(calls.filter((call) => call.startsWith("push"))).toEqual([]);
  });
});
