import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { examinable, readProject, type ReadProject } from "hasura-checks/metadata/project";
import { verifyMutationFunctions } from "hasura-checks/permissions/functions";
import { compareExpectations, expectationsOf } from "hasura-checks/permissions/report/expectations";
import { Verdicts } from "hasura-checks/permissions/report/report";
import { Subject } from "hasura-checks/permissions/observe/subject";
import { verifyWriteFields, verifyWrites } from "hasura-checks/permissions/writes";
import { routeql } from "hasura-checks/testing/tool";
import { adminSecret, startEngineProcess } from "../engine/support/engine-process.ts";
import { type StartedDatabaseContainer, startDatabase } from "../harness/containers/database-container.ts";
import { execute } from "../harness/execute.ts";
import { newDatabase } from "./support/new-database.ts";
import { faultsOf, type WriteFault } from "./support/write-faults.ts";
import { careless, writingWorlds } from "./support/writing-worlds.ts";

/** Write permissions, tried in rolled-back transactions on several metadata, and faults planted in each of them. */

const generous = 600_000;

let server: StartedDatabaseContainer;
let folder: string;

beforeAll(async () => {
  server = await startDatabase();
  folder = mkdtempSync(join(tmpdir(), "routeql-writes-"));
});

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await server.stop();
});

const open = (project: ReadProject, address: string, served?: WriteFault["metadata"]) =>
  Subject.open(project, address, {
    inferFunctionPermissions: true,
    statementTimeout: 30_000,
    ...(served === undefined ? {} : { served }),
  });

/** @param later SQL that runs when the engine has loaded the metadata */
async function verified(project: ReadProject, address: string, fault?: WriteFault, later = "select") {
  await using subject = await open(project, address, fault?.metadata);
  await execute(address, later);
  const verdicts = new Verdicts(subject.project);
  const { access } = subject;
  for (const role of fault === undefined ? access.roles : [fault.role]) {
    const of = { subject, role, verdicts, most: 200 };
    const keys = fault === undefined ? [...access.tables.keys()] : [fault.table];
    for (const key of keys) verifyWriteFields(of, key);
    const writes = access.writes.filter((write) => write.role === role && keys.includes(write.table));
    if (fault === undefined || verdicts.findings.length === 0) await verifyWrites(of, writes);
  }
  return verdicts;
}

describe.each(Object.entries(writingWorlds))("in the world %s", (name, world) => {
  const faults = faultsOf(parse(world.metadata) as Readonly<Record<string, unknown>>);
  let project: ReadProject;
  let address: string;

  beforeAll(async () => {
    writeFileSync(join(folder, `${name}.yaml`), world.metadata);
    project = examinable(readProject(`${name}.yaml`, folder), `of ${name}`);
    address = await newDatabase({ address: server.getConnectionUri("bootstrap") }, world.sql);
  });

  const permissions = async (file: string, ...more: readonly string[]) => {
    const expectations = ["--expectations", `${name}-expectations.yaml`];
    const metadata = ["--metadata", file, "--database", address];
    const { stdout } = await routeql(folder, ["permissions", "--json", ...metadata, ...expectations, ...more]);
    return (JSON.parse(stdout) as { findings: readonly { rule: string; severity: string; role?: string }[] }).findings;
  };

  test("every write has the effects of its permission in SQL", { timeout: generous }, async () => {
    const { findings, counts } = await verified(project, address);
    expect(findings.filter(({ severity }) => severity !== "note").map(({ reason }) => reason)).toEqual([]);
    expect(counts.writes).toBeGreaterThan(200);
  });

  test("permissions stores nothing", { timeout: generous }, async () => {
    expect(await permissions(`${name}.yaml`, "--update-expectations", "--rows", "100")).not.toContainEqual(
      expect.objectContaining({ severity: "error" }),
    );
    const fresh = await newDatabase({ address: server.getConnectionUri("bootstrap") }, world.sql);
    await using subject = await open(project, address);
    await using other = await open(project, fresh);
    for (const { schema, name: table, key } of subject.access.tables.values()) {
      const text = `select (to_jsonb(it) - '{id,created}'::text[])::text from ${schema}.${table} it order by 1`;
      expect(await subject.database.rows(text), key).toEqual(await other.database.rows(text));
    }
  });

  test.each(faults.map((fault) => [fault.what, fault] as const))(
    "an engine that serves %s is found, also by lint and expectations",
    { timeout: generous },
    async (_what, fault) => {
      const { findings } = await verified(project, address, fault);
      expect(findings.filter(({ severity }) => severity === "error").length).toBeGreaterThan(0);
      writeFileSync(join(folder, "fault.json"), JSON.stringify(fault.metadata));
      const { stdout } = await routeql(folder, [
        "lint",
        "--metadata",
        "fault.json",
        "--base",
        `${name}.yaml`,
        "--json",
      ]);
      const found = (JSON.parse(stdout) as { findings: readonly { rule: string; role?: string }[] }).findings;
      expect(found).toContainEqual(
        expect.objectContaining({
          rule: expect.stringMatching(/^(widened|changed)-permission$/) as string,
          role: fault.role,
        }),
      );
      await using before = await open(project, address);
      await using now = await open(examinable(readProject("fault.json", folder), "of the fault"), address);
      const surprises = compareExpectations(expectationsOf(before.access, []), expectationsOf(now.access, []));
      expect(surprises).toContainEqual(expect.objectContaining({ role: fault.role }));
    },
  );
});

describe("a function that changes rows", () => {
  const { sql, metadata } = writingWorlds["blog"] as { sql: string; metadata: string };
  const whole = async (role: string, served = metadata) => {
    writeFileSync(join(folder, "functions.yaml"), metadata);
    const project = examinable(readProject("functions.yaml", folder), "of functions");
    const address = await newDatabase({ address: server.getConnectionUri("bootstrap") }, sql);
    await using subject = await open(project, address, parse(served) as WriteFault["metadata"]);
    const verdicts = new Verdicts(subject.project);
    const given = { publish: [{ post_id: "1" }, { post_id: "2" }], rename: [{ new_name: "other" }] };
    const sessions = ["1", "2"].map((id) => ({ "x-hasura-user-id": id }));
    await verifyMutationFunctions({ subject, role, verdicts, most: 100 }, given, sessions);
    expect(verdicts.counts.writes).toBeGreaterThan(0);
    return verdicts.findings.filter(({ severity }) => severity !== "note").map(({ reason }) => reason);
  };

  test("has the effects of its call in SQL", { timeout: generous }, async () => {
    expect([await whole("writer"), await whole("moderator")]).toEqual([[], []]);
  });

  test.each([
    [
      "another filter of its rows",
      "writer",
      "filter: {author_id: {_eq: X-Hasura-User-Id}}, limit: 50",
      "filter: {status: {_eq: draft}}, limit: 50",
      /the request to call publish/,
    ],
    ["another session argument", "writer", "      configuration: {session_argument: session}\n", "", /publish/],
    [
      "a further role",
      "writer",
      "permissions: [{role: moderator}]",
      "permissions: [{role: writer}]",
      /has the function rename/,
    ],
    ["a role less", "moderator", "permissions: [{role: moderator}]", "permissions: []", /lacks the function rename/],
    ["a query", "moderator", "name: rename}\n", "name: rename}\n      configuration: {exposed_as: query}\n", /rename/],
  ])("an engine that serves it with %s is found", { timeout: generous }, async (_what, role, before, after, reason) => {
    const served = metadata.replace(before, after);
    expect(served).not.toBe(metadata);
    expect(await whole(role, served)).toContainEqual(expect.stringMatching(reason));
  });
});

test(
  "rows with a value of an enum table that the engine has not loaded are left out",
  { timeout: generous },
  async () => {
    const { sql, metadata } = writingWorlds["shop"] as { sql: string; metadata: string };
    writeFileSync(join(folder, "enums.yaml"), metadata);
    const project = examinable(readProject("enums.yaml", folder), "of enums");
    const address = await newDatabase({ address: server.getConnectionUri("bootstrap") }, sql);
    const later =
      "insert into order_state values ('in progress'); update orders set state = 'in progress' where id % 4 = 0";
    const { findings } = await verified(project, address, undefined, later);
    expect(findings.filter(({ severity }) => severity === "error").map(({ reason }) => reason)).toEqual([]);
  },
);

test(
  "changes of rows that a role cannot read are warnings, and cascades are notes",
  { timeout: generous },
  async () => {
    writeFileSync(join(folder, "careless.yaml"), careless.metadata);
    const project = examinable(readProject("careless.yaml", folder), "of careless");
    const address = await newDatabase({ address: server.getConnectionUri("bootstrap") }, careless.sql);
    const { findings } = await verified(project, address);
    const of = (rule: string, role: string) => findings.filter((one) => one.rule === rule && one.role === role);
    expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
    expect(of("cascade", "user")[0]).toMatchObject({ severity: "note", name: "public.attachment" });
    const said = (role: string) =>
      of("write-reach", role)
        .map(({ severity, reason }) => `${severity} ${reason}`)
        .join("\n");
    expect(said("user")).toMatch(/warning user with .* may insert a row with owner = .* may then not read the row/);
    expect(said("user")).toMatch(/warning user with .* may update the row id = .* may then not read the row/);
    expect(said("editor")).toMatch(/warning editor with .* may update the row id = .* though it may not read the row/);
  },
);

test("writes on a running engine need the name of a disposable database", { timeout: generous }, async () => {
  const address = await newDatabase({ address: server.getConnectionUri("bootstrap") }, careless.sql);
  writeFileSync(join(folder, "declared.yaml"), careless.metadata);
  const [, everyRow = ""] = /(filter: \{owner: \{_eq: X-Hasura-User-Id\}\}), check: null/.exec(careless.metadata) ?? [];
  writeFileSync(
    join(folder, "served.yaml"),
    careless.metadata.replace(`${everyRow}, check: null`, "filter: {}, check: null"),
  );
  writeFileSync(join(folder, "secret"), adminSecret);
  await using engine = await startEngineProcess({
    ENGINE_METADATA_DIRECTORY: join(folder, "served.yaml"),
    WRITES: address,
  });
  const run = async (...more: readonly string[]) => {
    const endpoint = ["--endpoint", engine.url, "--admin-secret-file", "secret", "--database", address];
    const { stdout, stderr } = await routeql(folder, [
      "permissions",
      "--metadata",
      "declared.yaml",
      "--json",
      ...endpoint,
      ...more,
    ]);
    return { stderr, ...(JSON.parse(stdout || "{}") as { checks?: object; findings?: readonly object[] }) };
  };
  expect((await run()).checks).not.toHaveProperty("writes");
  expect((await run("--disposable-database", "elsewhere")).stderr).toContain("no --database has this name");
  const { findings } = await run("--disposable-database", new URL(address).pathname.slice(1));
  expect(findings).toContainEqual(
    expect.objectContaining({ rule: "writes", role: "user", reason: expect.stringContaining("update") as string }),
  );
});

test("there are at least fifty planted faults", () => {
  const faults = Object.values(writingWorlds).flatMap(({ metadata }) =>
    faultsOf(parse(metadata) as Record<string, unknown>),
  );
  expect(faults.length).toBeGreaterThanOrEqual(50);
});
