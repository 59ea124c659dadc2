import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ArchivedDatabase } from "../harness/containers/archived-database.ts";
import { ObjectStorage } from "../harness/containers/object-storage.ts";

const host = "storage.routeql.test";

/** A database whose archive is in the storage, with another login if a key is given. */
function archivedIn({ port, authority, login }: ObjectStorage, key = login.key): Promise<ArchivedDatabase> {
  const settings = { backupDestination: "s3://backups/routes/site", backupEndpoint: `https://${host}:${port}` };
  return ArchivedDatabase.start({
    storage: { settings, authority, host, secrets: { "storage-key-id": login.id, "storage-key": key } },
  });
}

describe("an archive in an object storage", { timeout: 400_000 }, () => {
  let storage: ObjectStorage;
  let archived: ArchivedDatabase;
  const notes = () => archived.statement("select string_agg(note, ',' order by note) from routing.notes");
  const add = (note: string) => archived.statement(`insert into routing.notes values ('${note}')`);

  async function succeed(...command: string[]): Promise<void> {
    const { exitCode, output } = await archived.run(...command);
    expect(exitCode, output).toBe(0);
  }

  beforeAll(async () => {
    storage = await ObjectStorage.start(host);
    archived = await archivedIn(storage);
    await archived.statement("create table routing.notes (note text)");
    await add("a");
    await succeed("backup");
  }, 400_000);

  afterAll(async () => {
    await archived?.[Symbol.asyncDispose]();
    await storage?.[Symbol.asyncDispose]();
  });

  test("restores a moment and the newest state into an empty volume, and passes a drill", async () => {
    await archived.statement("select pg_sleep(1.5)");
    await add("b");
    const moment = await archived.statement("select clock_timestamp()");
    await add("c");
    await succeed("flush");
    await succeed("drill");
    for (const [point, expected] of [
      ["latest", "a,b,c"],
      [moment, "a,b"],
    ] as const) {
      const { exitCode, output } = await archived.whileStopped(async () => {
        await archived.shell('find "$PGDATA" -mindepth 1 -delete');
        return archived.run("restore", point);
      });
      expect(exitCode, output).toBe(0);
      expect(await notes()).toBe(expected);
    }
  });

  test("a storage that does not answer stops no write, and gets the changes when it answers", async () => {
    const waiting = "select count(*) from pg_ls_archive_statusdir() where name like '%.ready'";
    storage.pause(true);
    try {
      for (let segment = 0; segment < 3; segment++) {
        await add("d");
        await archived.statement("select pg_switch_wal()");
      }
      expect(Number(await archived.statement(waiting))).toBeGreaterThanOrEqual(3);
    } finally {
      storage.pause(false);
    }
    await succeed("flush");
    expect(await archived.whileStopped(() => archived.run("restore", "latest"))).toMatchObject({ exitCode: 0 });
    expect(await notes()).toBe("a,b,d,d,d");
  });

  test("a wrong key is refused with the reason, and appears in no output", async () => {
    const key = "a-wrong-secret-access-key";
    await using refused = await archivedIn(storage, key);
    const { exitCode, output } = await refused.run("backup");
    expect(exitCode).not.toBe(0);
    expect(output).toContain("the object storage does not answer or refuses");
    expect(output).not.toContain(key);
    expect(await refused.run("healthy")).not.toMatchObject({ exitCode: 0 });
  });
});
