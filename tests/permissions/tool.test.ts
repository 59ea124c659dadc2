import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { examinable, readProject } from "hasura-checks/metadata/project";
import { Verdicts } from "hasura-checks/permissions/report/report";
import { withoutProgress } from "hasura-checks/testing/tool";
import { Subject } from "hasura-checks/permissions/observe/subject";
import { verify } from "hasura-checks/permissions/verify";
import { keepFigures } from "../harness/figures/figures.ts";
import { run } from "../harness/process.ts";
import { faults } from "./support/faults.ts";
import { demoRows, World } from "./support/world.ts";
import { checkKinds } from "./support/check-kinds.ts";

/** `npx routeql` on the project's own metadata in a separate process, and its findings about faults. */

const repository = resolve(import.meta.dirname, "../..");
const generous = 300_000;

let world: World;
let folder: string;

beforeAll(async () => {
  world = await World.start(demoRows);
  folder = mkdtempSync(join(tmpdir(), "routeql-permissions-"));
  cpSync(join(repository, "hasura-metadata"), join(folder, "hasura-metadata"), { recursive: true });
  cpSync(join(repository, "routeql.yaml"), join(folder, "routeql.yaml"));
  cpSync(join(repository, "tests/permissions/expectations.yaml"), join(folder, "tests/permissions/expectations.yaml"));
});

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await world[Symbol.asyncDispose]();
});

async function routeql(directory: string, ...args: readonly string[]) {
  const file = join(folder, "database-url");
  writeFileSync(file, world.database.getConnectionUri("engine"), { mode: 0o600 });
  const result = await run(
    process.execPath,
    [join(repository, "hasura-checks/bin/hasura-checks.js"), ...args, "--database-file", file],
    { cwd: directory, timeout: generous },
  );
  return { ...result, stderr: withoutProgress(result.stderr) };
}

test("lint finds only exceptions with a reason in the project's metadata", { timeout: generous }, async () => {
  const { code, stdout, stderr } = await routeql(repository, "lint", "--json");
  expect([stderr, (JSON.parse(stdout) as { findings: unknown }).findings, code]).toEqual(["", [], 0]);
});

test(
  "permissions confirms that the engine serves the declared metadata, and counts checks",
  { timeout: generous },
  async () => {
    const { code, stdout, stderr } = await routeql(repository, "permissions", "--json");
    const report = JSON.parse(stdout) as {
      findings: unknown;
      checks: Readonly<Record<string, number>>;
      seconds: number;
    };
    expect([stderr, report.findings, code]).toEqual(["", [], 0]);
    for (const kind of [...checkKinds, "error-texts"]) expect(report.checks[kind], kind).toBeGreaterThan(10);
    keepFigures("permissions", {
      checks: Object.values(report.checks).reduce((sum, count) => sum + count, 0),
      "faults served and found": faults.length,
      seconds: report.seconds.toFixed(1),
      ...report.checks,
    });
  },
);

test("--minutes ends the examination, and reports the rest as not verified", { timeout: generous }, async () => {
  const args = ["permissions", "--json", "--minutes"];
  const { code, stdout } = await routeql(repository, ...args, "0.001");
  const { findings, checks } = JSON.parse(stdout) as {
    findings: readonly { rule: string; severity: string; reason: string }[];
    checks: Readonly<Record<string, number>>;
  };
  expect([code, checks, findings]).toEqual([
    1,
    {},
    [expect.objectContaining({ rule: "not-verified", severity: "warning" })],
  ]);
  expect(findings[0]?.reason).toMatch(/^not examined within --minutes 0\.001: the role \w+, and \d+ further parts$/);
  for (const minutes of ["0", "soon"])
    expect(await routeql(repository, ...args, minutes)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`--minutes takes a positive number, not ${minutes}`) as string,
    });
});

test("permissions writes the table as Markdown", { timeout: generous }, async () => {
  const { code, stderr } = await routeql(folder, "permissions", "--rows", "50", "--write", "permissions.md");
  expect([code, stderr]).toEqual([0, "wrote permissions.md\n"]);
  expect(readFileSync(join(folder, "permissions.md"), "utf8")).toContain(
    "| `viewer` | `view_hijacks` | query, query by key, live query, live query by key, stream | `comment`, `community_annotation` |",
  );
});

test("reports an unexpected metadata change, which --update-expectations accepts", { timeout: generous }, async () => {
  const file = join(folder, "hasura-metadata/databases/default/tables/public_view_hijacks.yaml");
  const before = readFileSync(file, "utf8");
  writeFileSync(file, before.replace(/(- role: viewer[\s\S]*?- active\n)/, "$1        - comment\n"));
  const { code, stdout } = await routeql(folder, "permissions", "--rows", "50");
  expect(code).toBe(1);
  expect(stdout).toContain("role viewer can now read view_hijacks.comment");
  expect(stdout.match(/ {2}expectation$/gm)).toHaveLength(1);
  const base = await routeql(folder, "diff", "--base", join(repository, "hasura-metadata"));
  expect([base.code, base.stdout]).toEqual([
    1,
    expect.stringContaining("viewer can now read public.view_hijacks.comment"),
  ]);
  expect((await routeql(folder, "permissions", "--rows", "50", "--update-expectations")).code).toBe(0);
  expect((await routeql(folder, "permissions", "--rows", "50")).code).toBe(0);
  writeFileSync(file, before);
  const back = await routeql(folder, "lint", "--base", join(repository, "hasura-metadata"));
  expect(back.code).toBe(0);
});

test("reports metadata that does not fit the database with file and line", { timeout: generous }, async () => {
  const file = join(folder, "hasura-metadata/databases/default/tables/public_view_hijacks.yaml");
  const before = readFileSync(file, "utf8");
  writeFileSync(file, before.replace("        - active\n", "        - actve\n"));
  const { code, stdout } = await routeql(folder, "permissions", "--rows", "50");
  const check = await routeql(folder, "lint");
  writeFileSync(join(folder, "without-exceptions.yaml"), "metadata: hasura-metadata\n");
  const againstItself = await routeql(
    folder,
    "lint",
    "--config",
    "without-exceptions.yaml",
    "--base",
    "hasura-metadata",
    "--only-new",
  );
  writeFileSync(file, before);
  expect([code, stdout]).toEqual([
    1,
    expect.stringMatching(
      /public_view_hijacks\.yaml:\d+ {2}warning {2}not-examined\n.*public\.view_hijacks has no column actve/,
    ),
  ]);
  expect([check.code, check.stdout]).toEqual([
    1,
    expect.stringMatching(/public_view_hijacks\.yaml:\d+ {2}error {2}reference/),
  ]);
  // Both are checked with the same database, so the fault is not a new one.
  expect([againstItself.code, againstItself.stdout]).toEqual([
    0,
    expect.stringMatching(/^no findings; .*, \d+ in hasura-metadata already\n/),
  ]);
});

describe("finds an engine that differs from the metadata when", () => {
  test.each(faults.map((fault) => [fault.what, fault] as const))(
    "%s",
    { timeout: generous },
    async (_what, { role, table, apply, found }) => {
      const project = examinable(readProject("hasura-metadata", repository), "of the project");
      const served = structuredClone(project.loaded.merged) as {
        sources: {
          tables: {
            table: { name: string };
            select_permissions?: { role: string; permission: Record<string, unknown> }[];
          }[];
        }[];
      };
      const entry = served.sources[0]?.tables
        .find((candidate) => candidate.table.name === table)
        ?.select_permissions?.find((candidate) => candidate.role === role);
      if (entry === undefined) throw new Error(`${role} has no permission on ${table}`);
      apply(entry.permission);
      await using subject = await Subject.open(project, world.database.getConnectionUri("engine"), {
        inferFunctionPermissions: true,
        statementTimeout: 30_000,
        served: { ...served },
      });
      const verdicts = new Verdicts(project);
      await verify(subject, verdicts, {
        roles: [role],
        rolesWithoutPermission: [],
        sessions: {},
        arguments: {},
        most: 200,
      });
      const kinds = new Set(verdicts.findings.map(({ rule }) => rule));
      expect(
        [...kinds].filter((kind) => found.includes(kind)),
        JSON.stringify(verdicts.findings.map(({ reason }) => reason)),
      ).not.toEqual([]);
    },
  );
});
