import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { formats } from "hasura-checks/findings/print";
import { suites } from "../runner/suites.ts";

const repository = resolve(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(repository, path), "utf8");
const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };

interface Step {
  readonly if?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Record<string, unknown>;
}

interface GitHubWorkflow {
  readonly concurrency: { readonly group: string; readonly "cancel-in-progress": string };
  readonly permissions: Record<string, string>;
  readonly jobs: Record<
    string,
    {
      readonly "runs-on": string;
      readonly "timeout-minutes": number;
      readonly needs?: string;
      readonly env?: Record<string, string>;
      readonly steps: readonly Step[];
    }
  >;
}

interface GitLabJob {
  readonly stage?: string;
  readonly extends?: string;
  readonly script?: readonly string[];
  readonly variables?: Record<string, string>;
  readonly image?: string;
  readonly cache?: { readonly paths: readonly string[] };
  readonly artifacts?: { readonly paths?: readonly string[]; readonly reports?: Readonly<Record<string, string>> };
}

const github = parse(read("ci-templates/github/routeql.yml")) as GitHubWorkflow;
const gitlab = parse(read("ci-templates/gitlab/.gitlab-ci.yml")) as Record<string, GitLabJob>;
const gitlabJobs = Object.entries(gitlab).filter(([, job]) => job.script !== undefined);
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

test("GitHub's scheduled workflow runs the report on the pins with the same actions", () => {
  const scheduled = parse(read("ci-templates/github/pins.yml")) as GitHubWorkflow & {
    readonly on: { readonly schedule: readonly { readonly cron: string }[] };
  };
  expect(scheduled.on.schedule).toHaveLength(1);
  expect(scheduled.permissions).toEqual({ contents: "read" });
  const known = new Set(steps.flatMap(({ uses }) => uses ?? []));
  for (const { uses, run } of scheduled.jobs["pins"]?.steps ?? []) {
    if (uses !== undefined) expect(known).toContain(uses);
    if (run !== undefined) expectKnown(run);
  }
});

describe("the workflow for GitHub", () => {
  test("may only read the repository, and leaves no credentials in it", () => {
    expect(github.permissions).toEqual({ contents: "read" });
    expect(Object.values(github.jobs).every((job) => !("permissions" in job))).toBe(true);
    for (const step of steps.filter(({ uses }) => uses?.startsWith("actions/checkout")))
      expect(step.with?.["persist-credentials"]).toBe(false);
  });

  test("pins each action to one digest of a release", () => {
    const used = steps.flatMap(({ uses }) => (uses === undefined ? [] : [uses]));
    expect(used.length).toBeGreaterThan(0);
    const digests = new Map<string, Set<string>>();
    for (const reference of used) {
      expect(reference).toMatch(/^actions\/[a-z-]+@[0-9a-f]{40}$/);
      const [action, digest] = reference.split("@") as [string, string];
      digests.set(action, (digests.get(action) ?? new Set()).add(digest));
    }
    for (const [action, found] of digests) expect(found.size, action).toBe(1);
    for (const line of read("ci-templates/github/routeql.yml")
      .split("\n")
      .filter((text) => text.includes("uses:")))
      expect(line).toMatch(/ # v\d+\.\d+\.\d+$/);
  });

  test("jobs have a runner version, a time limit and their dependencies", () => {
    for (const [name, job] of Object.entries(github.jobs)) {
      expect(job["runs-on"], name).toMatch(/-\d/);
      expect(job["timeout-minutes"], name).toBeLessThanOrEqual(60);
      if (job.needs !== undefined) expect(Object.keys(github.jobs)).toContain(job.needs);
    }
  });

  test("calls only existing commands", () => {
    const commands = steps.flatMap(({ run }) => (run === undefined ? [] : [run]));
    expect(commands.length).toBeGreaterThan(0);
    for (const command of commands) expectKnown(command);
  });

  test("keeps the logs of failed and timed-out suites, although their folder is hidden", () => {
    const kept = steps.filter(({ uses }) => uses?.startsWith("actions/upload-artifact"));
    expect(kept).toHaveLength(2);
    for (const step of kept)
      expect(step).toMatchObject({
        if: "failure() || cancelled()",
        with: { "include-hidden-files": true, "if-no-files-found": "ignore" },
      });
  });

  test("a new push cancels the run of a pull request, never of the main branch", () => {
    expect(github.concurrency["cancel-in-progress"]).toBe("${{ github.event_name == 'pull_request' }}");
    expect(github.concurrency.group).toContain("github.event_name == 'pull_request' && github.ref || github.sha");
  });

  test("puts no text of a pull request into a command", () => {
    for (const { run } of steps) expect(run ?? "").not.toContain("${{");
  });
});

describe("the pipeline for GitLab", () => {
  test("has stages for all its jobs, and every template that they extend", () => {
    const stages = (gitlab as unknown as { stages: string[] }).stages;
    for (const [name, job] of gitlabJobs) {
      expect(Object.keys(gitlab), name).toContain(job.extends);
      expect(stages, name).toContain(job.stage ?? gitlab[job.extends as string]?.stage);
    }
  });

  test("caches only ignored files between runs, so that no check of the tree sees them", () => {
    const ignored = read(".gitignore").split("\n");
    const paths = gitlab[".node"]?.cache?.paths ?? [];
    expect(paths.length).toBeGreaterThan(0);
    for (const path of paths) expect(ignored, path).toContain(`${path.split("/")[0] ?? ""}/`);
  });

  test("takes images that hold Git, which the metadata tools call", () => {
    const images = gitlabJobs.flatMap(([, { image }]) => image ?? []);
    expect(images.length).toBe(3);
    for (const image of images) expect(image).toMatch(/^node:\d+\.\d+\.\d+-trixie$/);
  });

  test("compares metadata with the branch point and annotates the change", () => {
    expect(gitlab["metadata"]).toMatchObject({
      variables: { GIT_DEPTH: "0" },
      artifacts: { when: "always", reports: { codequality: "gl-code-quality-report.json" } },
    });
    for (const command of gitlab["metadata"]?.script ?? [])
      expect(command).toContain('--base "$CI_MERGE_REQUEST_DIFF_BASE_SHA"');
  });

  test("calls only existing commands", () => {
    for (const [, job] of gitlabJobs) for (const command of job.script ?? []) expectKnown(command);
  });
});

test("both run quick checks, metadata, the embedded engine, Hasura and a preview", () => {
  const names = ["embedded", "hasura", "metadata", "preview", "unit"];
  expect(Object.keys(github.jobs).toSorted()).toEqual(names);
  // GitLab has one file for everything; on GitHub the scheduled job is a separate workflow.
  expect(gitlabJobs.map(([name]) => name).toSorted()).toEqual([...names, "pins"].toSorted());
  expect(github.jobs["hasura"]?.env).toEqual({ ENGINE: "hasura" });
  expect(gitlab["hasura"]?.variables).toEqual({ ENGINE: "hasura" });
  for (const name of ["embedded", "hasura"])
    expect(github.jobs[name]?.steps.at(-1)?.with?.["path"]).toBe(".routeql/test-logs");
  expect(gitlab[".with-docker"]?.artifacts?.paths).toEqual([".routeql/test-logs"]);
});
