import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { examinable, readProject, type ReadProject } from "hasura-checks/metadata/project";
import { Verdicts } from "hasura-checks/permissions/report";
import { Subject } from "hasura-checks/permissions/subject";
import { verifyWriteFields, verifyWrites } from "hasura-checks/permissions/writes";
import { type StartedDatabaseContainer, startDatabase } from "../harness/database-container.ts";
import { newDatabase } from "./support/new-database.ts";
import { faultsOf, type WriteFault } from "./support/write-faults.ts";
import { writingWorlds } from "./support/writing-worlds.ts";

/** Write permissions, tried in rolled-back transactions on several metadata, and faults planted in each of them. */

const generous = 300_000;

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

function projectOf(name: string): ReadProject {
  writeFileSync(join(folder, `${name}.yaml`), writingWorlds[name]?.metadata ?? "");
  return examinable(readProject(`${name}.yaml`, folder), `of ${name}`);
}

async function verified(project: ReadProject, address: string, fault?: WriteFault) {
  await using subject = await Subject.open(project, address, {
    inferFunctionPermissions: true,
    statementTimeout: 30_000,
    ...(fault === undefined ? {} : { served: fault.metadata }),
  });
  const verdicts = new Verdicts(subject.project);
  const { access } = subject;
  for (const role of fault === undefined ? access.roles : [fault.role]) {
    const of = { subject, role, verdicts, most: 200 };
    const keys = fault === undefined ? [...access.tables.keys()] : [fault.table];
    for (const key of keys) verifyWriteFields(of, key);
    const writes = access.writes.filter((write) => write.role === role && keys.includes(write.table));
    if (verdicts.findings.length === 0) await verifyWrites(of, writes);
  }
  return verdicts;
}

describe.each(Object.keys(writingWorlds))("in the world %s", (name) => {
  let project: ReadProject;
  let address: string;

  beforeAll(async () => {
    project = projectOf(name);
    address = await newDatabase({ address: server.getConnectionUri("bootstrap") }, writingWorlds[name]?.sql ?? "");
  });

  test(
    "every write has the effects of its permission in SQL, and nothing is stored",
    { timeout: generous },
    async () => {
      const first = await verified(project, address);
      expect(first.findings.map(({ reason }) => reason)).toEqual([]);
      expect(first.counts.writes).toBeGreaterThan(200);
    },
  );

  test("an engine that serves other permissions is found", { timeout: generous }, async () => {
    const faults = faultsOf(project.loaded.merged);
    expect(faults.length).toBeGreaterThan(15);
    const missed: string[] = [];
    for (const fault of faults) {
      const { findings } = await verified(project, address, fault);
      if (!findings.some(({ severity }) => severity === "error")) missed.push(fault.what);
    }
    expect(missed).toEqual([]);
  });
});
