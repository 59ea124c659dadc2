import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ArchivedDatabase } from "../harness/archived-database.ts";

/** tests/database/archive.test.ts has a wrong key, an early time, an unreachable archive and a damaged backup of a drill. */
describe("faults of the archive", { timeout: 400_000 }, () => {
  let archived: ArchivedDatabase;
  let noted = 0;
  const note = async (): Promise<void> => {
    await archived.statement(`insert into routing.notes values (${(noted += 1)})`);
  };
  const notes = async (): Promise<number> => Number(await archived.statement("select count(*) from routing.notes"));

  beforeAll(async () => {
    archived = await ArchivedDatabase.start();
    await archived.statement("create table routing.notes (note int)");
    await note();
    expect(await archived.run("backup")).toMatchObject({ exitCode: 0 });
  }, 400_000);

  afterAll(() => archived?.[Symbol.asyncDispose]());

  test("a restore of a running database is refused", async () => {
    const { exitCode, output } = await archived.run("restore", "latest");
    expect(exitCode).not.toBe(0);
    expect(output).toContain("the database runs");
    await note();
    expect(await notes()).toBe(noted);
  });

  test("an interrupted restore is completed by the next one", async () => {
    expect(await archived.run("flush")).toMatchObject({ exitCode: 0 });
    await archived.whileStopped(async () => {
      const interrupted = await archived.shell(
        `su postgres -s /bin/bash -c 'pgbackrest-archive restore latest' & while [ -e "$PGDATA/global/pg_control" ]; do :; done; pkill -KILL pgbackrest; wait $!`,
      );
      expect(interrupted.exitCode).not.toBe(0);
      expect(await archived.run("restore", "latest")).toMatchObject({ exitCode: 0 });
    });
    expect(await notes()).toBe(noted);
  });

  test("the archive of another stack is refused with the reason", async () => {
    const { exitCode, output } = await archived.shell(`su postgres -s /bin/bash -c '
      initdb --no-instructions --auth=trust /tmp/other >/dev/null
      export PGBACKREST_REPO1_PATH=/tmp/other-archive
      PGBACKREST_PG1_PATH=/tmp/other pgbackrest-archive stanza-create --no-online && pgbackrest-archive backup'`);
    expect(exitCode).not.toBe(0);
    expect(output).toContain("the archive belongs to another database");
  });
});
