import { randomBytes } from "node:crypto";
import { GenericContainer, type StartedTestContainer } from "testcontainers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { describeArchive, withArchive } from "@routeql/infra/services/archive";
import { describeDatabase } from "@routeql/infra/services/database";
import { withDefaults } from "@routeql/infra/settings/complete";
import { DatabaseContainer, type StartedDatabaseContainer } from "../harness/database-container.ts";
import { image } from "../harness/image.ts";
import { mustRun } from "../harness/process.ts";
import { runId, runLabel, runLabels } from "../harness/run.ts";

const settings = withDefaults({ archiveQueueMegabytes: 64 }, "archived");
const database = withArchive(describeDatabase(settings), settings);
const archive = describeArchive(settings);
const keyFile = "/run/routeql/secrets/archive-key";
const program = "pgbackrest-archive";
const volume = (source: string): string => `rq-test-${runId}-${source}`;
const sources = ["database-data", "database-archive", "database-socket"];

describe("the archive of the database", { timeout: 240_000 }, () => {
  let server: StartedDatabaseContainer;
  let keeper: StartedTestContainer;
  const key = randomBytes(24).toString("hex");

  const withFiles = <Container extends GenericContainer>(container: Container): Container => {
    container
      .withLabels(runLabels)
      .withEnvironment({ ...archive.environment, ...database.environment, ARCHIVE_KEY_FILE: keyFile })
      .withCopyContentToContainer([{ target: keyFile, content: key, mode: 0o444 }])
      .withBindMounts([
        ...Object.entries(database.shared ?? {}).map(([target, { source }]) => ({ source: volume(source), target })),
        { source: volume("database-data"), target: database.data! },
      ]);
    return container;
  };
  const inKeeper = (...args: string[]) => keeper.exec([program, ...args]);
  const shell = (script: string) => keeper.exec(["bash", "-c", script], { user: "root" });

  /** Runs work while the server is stopped. */
  async function whileStopped<T>(work: () => Promise<T>): Promise<T> {
    await mustRun("docker", ["stop", server.getId()]);
    try {
      return await work();
    } finally {
      await mustRun("docker", ["start", server.getId()]);
      await mustRun("docker", [
        "exec",
        server.getId(),
        "bash",
        "-c",
        "for _ in {1..600}; do pg_isready --quiet && exit 0; sleep 0.1; done; exit 1",
      ]);
    }
  }
  const statement = async (sql: string): Promise<string> => {
    const psql = ["psql", "--no-psqlrc", "-qAt", "--username=postgres", "--dbname=routeql", "--command", sql];
    return (await mustRun("docker", ["exec", server.getId(), ...psql])).trim();
  };
  const notes = () => statement("select coalesce(string_agg(note, ',' order by note), '') from routing.notes");

  beforeAll(async () => {
    for (const source of sources)
      await mustRun("docker", ["volume", "create", "--label", `${runLabel}=${runId}`, volume(source)]);
    server = await withFiles(new DatabaseContainer(await image("database")))
      .withCommand(database.command!.map(String))
      .start();
    keeper = await withFiles(new GenericContainer(await image("database")))
      .withCommand(["sleep", "infinity"])
      .start();
    await statement("create table routing.notes (note text); insert into routing.notes values ('a')");
    expect(await inKeeper("backup")).toMatchObject({ exitCode: 0 });
  }, 240_000);

  afterAll(async () => {
    await keeper?.stop();
    await server?.stop();
    for (const source of sources) await mustRun("docker", ["volume", "rm", "--force", volume(source)]);
  });

  test("restores the state of a moment, then the newest state of that line", async () => {
    // pgBackRest knows the end of a backup in whole seconds, and uses only backups that ended before the moment.
    await statement("select pg_sleep(1.5); insert into routing.notes values ('b')");
    const moment = await statement("select clock_timestamp()");
    await statement("insert into routing.notes values ('c')");
    expect(await inKeeper("flush")).toMatchObject({ exitCode: 0 });
    expect(await whileStopped(() => inKeeper("restore", moment))).toMatchObject({ exitCode: 0 });
    expect(await notes()).toBe("a,b");
    await statement("insert into routing.notes values ('d')");
    expect(await inKeeper("flush")).toMatchObject({ exitCode: 0 });
    expect(await whileStopped(() => inKeeper("restore", "latest"))).toMatchObject({ exitCode: 0 });
    expect(await notes()).toBe("a,b,d");
  });

  test("a drill compares every table while clients write, and records its time", async () => {
    const writes = statement("insert into routing.notes select 'x' from generate_series(1, 200000)");
    const { exitCode, output } = await inKeeper("drill");
    await writes;
    expect(output).toMatch(/drill passed: \d+ tables, \d+ rows/);
    expect(exitCode).toBe(0);
    expect(await statement("select seconds > 0 from migrations.finished_runs where run = 'drill'")).toBe("t");
  });

  test("a time before the first backup and a wrong key change nothing", async () => {
    const before = await statement("select count(*) from routing.notes");
    const early = await whileStopped(() => inKeeper("restore", "2020-01-01 00:00:00+00"));
    expect(early.output).toContain("the archive has no backup of that time");
    const wrong = await whileStopped(() =>
      keeper.exec([
        "bash",
        "-c",
        `echo ${"0".repeat(48)} >/tmp/key; ARCHIVE_KEY_FILE=/tmp/key ${program} restore latest`,
      ]),
    );
    expect(wrong.output).toContain("cannot be decrypted or is damaged");
    expect([early.exitCode, wrong.exitCode]).not.toContain(0);
    expect(await statement("select count(*) from routing.notes")).toBe(before);
  });

  test("an unreachable archive stops no write and holds a bounded queue", async () => {
    await shell("mv /var/lib/pgbackrest/archive /var/lib/pgbackrest/away; touch /var/lib/pgbackrest/archive");
    for (let segment = 0; segment < 8; segment += 1)
      await statement("insert into routing.notes values ('y'); select pg_switch_wal()");
    const waiting = "select count(*) from pg_ls_archive_statusdir() where name like '%.ready'";
    await expect.poll(() => statement(waiting).then(Number), { timeout: 120_000, interval: 2000 }).toBeLessThan(5);
    expect(await statement("select failed_count > 0 from pg_stat_archiver")).toBe("t");
    await shell("rm /var/lib/pgbackrest/archive; mv /var/lib/pgbackrest/away /var/lib/pgbackrest/archive");
    // The dropped segments make a gap; a new backup starts after it.
    expect(await inKeeper("backup", "full")).toMatchObject({ exitCode: 0 });
    expect(await inKeeper("drill")).toMatchObject({ exitCode: 0 });
  });

  test("a drill fails on a damaged backup", async () => {
    await shell(
      `for f in $(find /var/lib/pgbackrest/backup -name '*.zst' -size +8k); do dd if=/dev/zero of=$f bs=1 seek=4096 count=64 conv=notrunc status=none; done`,
    );
    const { exitCode, output } = await inKeeper("drill");
    expect(exitCode).not.toBe(0);
    expect(output).toContain("cannot be decrypted or is damaged");
  });
});
