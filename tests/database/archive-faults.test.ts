import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ArchivedDatabase } from "../harness/containers/archived-database.ts";

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

  test("an interrupted restore leaves the former database, and the next one completes", async () => {
    expect(await archived.run("flush")).toMatchObject({ exitCode: 0 });
    const interrupted = await archived.shell(
      `su postgres -s /bin/bash -c 'pgbackrest-archive prepare latest' & until [ -e "$PGDATA/restoring/data/base" ]; do :; done; pkill -KILL -f "pgbackrest-archive|pgbackrest.restore"; wait $!`,
    );
    expect(interrupted.exitCode).not.toBe(0);
    await archived.whileStopped(() => Promise.resolve());
    expect(await notes()).toBe(noted);
    expect(await archived.whileStopped(() => archived.run("restore", "latest"))).toMatchObject({ exitCode: 0 });
    expect(await notes()).toBe(noted);
  });

  test("the next start completes an exchange that was interrupted at any step", async () => {
    for (const step of [
      "mkdir -p replacing/leaving",
      "mv replacing/leaving replacing/former",
      "mv replacing replaced",
    ]) {
      await note();
      expect(await archived.run("flush")).toMatchObject({ exitCode: 0 });
      const { exitCode, output } = await archived.whileStopped(async () => {
        expect(await archived.run("prepare", "latest")).toMatchObject({ exitCode: 0 });
        return archived.shell(
          `sed 's|^ *${step}|kill -KILL $$; &|' $(command -v pgbackrest-archive) >/tmp/killed; su postgres -s /bin/bash -c 'bash /tmp/killed replace latest'`,
        );
      });
      expect(exitCode, output).not.toBe(0);
      expect(await notes()).toBe(noted);
      expect(await archived.shell('ls "$PGDATA" | grep -E "^(restoring|replac)"')).toMatchObject({ output: "" });
    }
  });

  const zeros = "dd if=/dev/zero of=$file bs=1 seek=4096 count=64 conv=notrunc status=none";
  /** What pgBackRest does not notice: a file decompresses to content of another checksum. */
  const otherChecksum = "mv $file ${file%-*}-$(printf %040d 0).zst";

  /** Damages the chosen files of the archive while work runs. */
  async function whileDamaged<T>(find: string, work: () => Promise<T>, damage = zeros): Promise<T> {
    const all = "/var/lib/pgbackrest";
    await archived.shell(`cp -a ${all} /tmp/intact; for file in $(find ${all}/${find}); do ${damage}; done`);
    try {
      return await work();
    } finally {
      // Changes that the database archived meanwhile stay.
      await archived.shell(
        `find ${all} -name '*-${"0".repeat(40)}.zst' -delete; cp -a /tmp/intact/. ${all}/; rm -r /tmp/intact`,
      );
    }
  }
  const blocks = "backup -name '*.zst' -size +8k";
  const damaged = "cannot be decrypted or is damaged";

  test("a damaged block of a backup fails a drill and a restore, and the database serves", async () => {
    await whileDamaged(blocks, async () => {
      for (const command of [["drill"], ["prepare", "latest"]]) {
        const { exitCode, output } = await archived.run(...command);
        expect(exitCode, output).not.toBe(0);
        expect(output).toContain(damaged);
        await note();
      }
    });
    await archived.whileStopped(() => Promise.resolve());
    expect(await notes()).toBe(noted);
  });

  test("a damaged change does not shorten a restore of the newest state", async () => {
    await archived.statement(
      "create table routing.filling as select gen_random_uuid() from generate_series(1, 20000); select pg_switch_wal()",
    );
    await note();
    expect(await archived.run("flush")).toMatchObject({ exitCode: 0 });
    const refused = async (): Promise<void> => {
      const { exitCode, output } = await archived.run("prepare", "latest");
      expect(exitCode, output).not.toBe(0);
      expect(output).toContain("is damaged");
    };
    for (const damage of [zeros, otherChecksum]) await whileDamaged("archive -name '*.zst' -size +8k", refused, damage);
    expect(await notes()).toBe(noted);
  });

  test("a missing change does not shorten a restore of the newest state, unless accepted", async () => {
    const before = noted;
    await archived.statement("select pg_switch_wal()");
    for (const _ of [1, 2]) {
      await note();
      await archived.statement("select pg_switch_wal()");
    }
    expect(await archived.run("flush")).toMatchObject({ exitCode: 0 });
    const { output: names } = await archived.shell(
      `ls /var/lib/pgbackrest/archive/*/*/*/ | grep -E '^[0-9A-F]{24}-' | sort`,
    );
    // The last two have the second note and the commit of the flush.
    const middle = names.trim().split("\n").at(-3)!;
    const refusal = async (...words: readonly string[]): Promise<string> => {
      const { exitCode, output } = await archived.run(...words);
      expect(exitCode, output).not.toBe(0);
      expect(output).toContain(`${middle.slice(0, 24)} is missing, but the archive has later changes`);
      return output;
    };
    await whileDamaged(
      `archive -name ${middle}`,
      async () => {
        expect(await refusal("prepare", "latest")).toContain("the database has changes that the archive lacks");
        await archived.whileStopped(async () => {
          // A new database cannot prove that changes are missing.
          await archived.shell('find "$PGDATA" -mindepth 1 -delete');
          expect(await refusal("restore", "latest")).toContain("use an earlier time, or --latest --replace");
          expect(await archived.run("restore", "latest", "replace")).toMatchObject({ exitCode: 0 });
        });
      },
      "rm $file",
    );
    noted = before;
    expect(await notes()).toBe(before);
  });

  test("without space for a copy, a restore verifies the archive before it replaces the files", async () => {
    const restore = () =>
      archived.shell(`mkdir -p /tmp/full; printf '#!/bin/sh\necho 0\n' >/tmp/full/df; chmod +x /tmp/full/df
        su postgres -s /bin/bash -c 'PATH=/tmp/full:$PATH pgbackrest-archive restore latest'`);
    await whileDamaged(blocks, () =>
      archived.whileStopped(async () => {
        const { exitCode, output } = await restore();
        expect(exitCode, output).not.toBe(0);
        expect(output).toContain(damaged);
      }),
    );
    expect(await notes()).toBe(noted);
    expect(await archived.run("flush")).toMatchObject({ exitCode: 0 });
    const { exitCode, output } = await archived.whileStopped(restore);
    expect(exitCode, output).toBe(0);
    expect(output).toContain("in place");
    expect(await notes()).toBe(noted);
  });

  test.each([
    [
      "a directory of another user",
      "chown root:root $folder; chmod 700 $folder",
      "chown postgres:postgres $folder",
      "user 10105 may not write",
    ],
    ["another key", "", "", "cannot be decrypted or is damaged"],
  ])("names the cause of failures in one printable line: %s", async (name, damage, repair, cause) => {
    const folder = "for folder in /var/lib/pgbackrest/archive/routeql; do";
    const key =
      name === "another key"
        ? `echo ${"0".repeat(48)} >/tmp/key; chmod a+r /tmp/key; export ARCHIVE_KEY_FILE=/tmp/key;`
        : "";
    const { output } = await archived.shell(`${folder} ${damage || ":"}; done
      su postgres -s /bin/bash -c '${key} cd $PGDATA; pgbackrest-archive push pg_wal/$(ls pg_wal | grep -E "^[0-9A-F]{24}$" | tail -1)'
      ${folder} ${repair || ":"}; done`);
    expect(output).toMatch(/^archive: archive-push failed: [ -~]+\n$/);
    expect(output).toContain(cause);
    expect((await archived.run("facts")).output).toContain(cause);
    await note();
    await archived.statement("select pg_switch_wal()");
    await expect
      .poll(async () => (await archived.run("facts")).output, { timeout: 60_000, interval: 1000 })
      .toMatch(/^\d+\t\n$/);
  });

  test.each([
    ["a backup", "pgbackrest-archive backup"],
    ["a change", 'cd $PGDATA && pgbackrest-archive push pg_wal/$(ls pg_wal | grep -E "^[0-9A-F]{24}$" | tail -1)'],
  ])("the archive of another stack refuses %s with the reason", async (_, command) => {
    const { exitCode, output } = await archived.shell(`su postgres -s /bin/bash -c '
      rm -rf /tmp/other /tmp/other-archive; initdb --no-instructions --auth=trust /tmp/other >/dev/null
      export PGBACKREST_REPO1_PATH=/tmp/other-archive
      PGBACKREST_PG1_PATH=/tmp/other pgbackrest-archive stanza-create --no-online && ${command}'`);
    expect(exitCode).not.toBe(0);
    expect(output).toContain("the archive belongs to another database");
  });
});

test(
  "a full archive stops no write, holds a bounded queue, and continues when space returns",
  { timeout: 400_000 },
  async () => {
    await using archived = await ArchivedDatabase.start({ megabytes: 96 });
    const filler = "/var/lib/pgbackrest/filler";
    const failing = () =>
      archived.statement(
        "select failed_count > 0 and last_failed_time > coalesce(last_archived_time, '-infinity') from pg_stat_archiver",
      );
    const waiting = async () =>
      Number(await archived.statement("select count(*) from pg_ls_archive_statusdir() where name like '%.ready'"));
    await archived.statement("create table routing.notes (note text)");
    expect(await archived.run("backup")).toMatchObject({ exitCode: 0 });
    await archived.shell(`dd if=/dev/zero of=${filler} bs=1M status=none || true`);
    for (let segment = 0; segment < 8; segment += 1)
      await archived.statement(
        "insert into routing.notes select gen_random_uuid()::text from generate_series(1, 20000); select pg_switch_wal()",
      );
    await expect.poll(failing, { timeout: 60_000, interval: 1000 }).toBe("t");
    expect((await archived.run("flush")).exitCode).not.toBe(0);
    expect((await archived.run("facts")).output).toContain("the disk of the archive is full. Free space on it");
    await expect.poll(waiting, { timeout: 120_000, interval: 2000 }).toBeLessThan(5);
    await archived.shell(`rm ${filler}`);
    await expect.poll(failing, { timeout: 150_000, interval: 2000 }).toBe("f");
    const rows = () => archived.statement("select count(*) from routing.notes");
    const restore = (...more: string[]) => archived.whileStopped(() => archived.run("restore", "latest", ...more));
    // The dropped segments make a gap, before which a restore would end.
    expect(await archived.run("flush")).toMatchObject({ exitCode: 0 });
    const refused = await restore();
    expect(refused.exitCode, refused.output).not.toBe(0);
    expect(refused.output).toContain("the database has changes that the archive lacks");
    expect(await rows()).toBe("160000");
    // A new backup starts after it.
    expect((await archived.run("facts")).output).toContain("were dropped; the next backup closes the gap");
    expect(await archived.run("backup", "full")).toMatchObject({ exitCode: 0 });
    expect((await archived.run("facts")).output).toMatch(/^\d{10}\t\n$/);
    expect(await archived.run("drill")).toMatchObject({ exitCode: 0 });
    expect(await restore()).toMatchObject({ exitCode: 0 });
    expect(await rows()).toBe("160000");
  },
);
