import { readFileSync } from "node:fs";
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
