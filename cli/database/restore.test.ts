import { Readable } from "node:stream";
import { readdir } from "node:fs/promises";
import { expect, test } from "vitest";
import { migrationNames } from "@routeql/database/migrate/migration-names";
import { restoreFile } from "./carry-over.ts";
import type { Programs } from "../place/programs.ts";
import { migrationsIn, restoreProgram } from "./restore.ts";

const applied = migrationNames();
const evil = "x'] $$; \\! id";

test("no name of a backup is text of a program", () => {
  const [first, second] = ["0001_notes", evil].map((name) => restoreProgram({ applied, own: [name] }, false));
  const withoutKey = ({ head }: { head: Buffer }): string => head.toString().replaceAll(/restrict [0-9a-f]{32}\n/g, "");
  expect(withoutKey(second!)).toBe(withoutKey(first!));
  const changed = second!.program.flatMap((word, index) => (word === first!.program[index] ? [] : [word]));
  expect(changed).toEqual([JSON.stringify([evil])]);
});

test("psql is restricted by a new key until the transaction is committed", () => {
  const { program, head } = restoreProgram({ applied, own: [] }, false);
  const [after, before] = [0, 1].map((place) => Number(program[6 + place]));
  const [last, first] = [head.subarray(0, after).toString(), head.subarray(after).toString()];
  expect(Buffer.byteLength(first)).toBe(before);
  const key = /^\\restrict ([0-9a-f]{32})\nbegin;\n/.exec(first)![1]!;
  expect(last).toContain(`commit;\n\\unrestrict ${key}\n`);
  expect(restoreProgram({ applied, own: [] }, false).head.includes(key)).toBe(false);
});

test("the files of the restore have no command of psql", async () => {
  const files = await readdir(new URL("../../database/restore/", import.meta.url));
  const sql = files.filter((name) => name.endsWith(".sql"));
  expect(sql.length).toBeGreaterThan(5);
  for (const name of sql) expect(restoreFile(name)).not.toMatch(/^\s*\\/m);
});

test("names the file of a truncated backup", async () => {
  const file = { name: "cut.dump", dump: () => Readable.from(["PGDMP"]) };
  const programs = { as: () => async () => 1, reach: undefined, values: undefined } as unknown as Programs;
  await expect(migrationsIn(programs, file)).rejects.toMatchObject({
    message: "Reading the backup failed (pg_restore ended with 1)",
    remedy: "cut.dump is truncated or damaged: choose another backup. The database is unchanged.",
  });
});
