import { expect, test } from "vitest";
import { recordBackupOf, recordRun } from "./programs.ts";

/** Statements that psql receives. */
async function statementsOf(record: (programs: Parameters<typeof recordRun>[0]) => Promise<void>): Promise<string[]> {
  const statements: string[] = [];
  const as = () => async (program: readonly string[]) => {
    statements.push(program.at(-1)!);
    return 0;
  };
  await record({ as });
  return statements;
}

test("records the file of a restore as a backup, unless a newer one is known", async () => {
  const at = new Date("2026-05-04T08:00:00Z");
  const [statement] = await statementsOf((programs) => recordBackupOf(programs, at, 12));
  expect(statement).toContain("values ('backup', '2026-05-04T08:00:00.000Z', null, 12)");
  expect(statement).toContain("where finished_runs.finished_at < excluded.finished_at");
});

test("records other runs at the present", async () => {
  const [statement] = await statementsOf((programs) => recordRun(programs, "restore", performance.now()));
  expect(statement).toContain("values ('restore', now(), ");
});
