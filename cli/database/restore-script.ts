/**
 * How a backup becomes a database again without running any of its SQL: this checkout's migrations make the schema, and the file
 * contributes rows. The operator's migrations come from the database that is replaced. The programs are the files of database/restore/,
 * unchanged; a value of a backup is a variable of psql or a row.
 */
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { migrationNames } from "@routeql/database/migrate/migration-names";
import { projectFolder } from "@routeql/host/paths";

export const restoreFile = (name: string): Promise<string> =>
  readFile(join(projectFolder, "database/restore", name), "utf8");

export interface AppliedMigrations {
  readonly applied: readonly string[];
  /** Of the operator. */
  readonly own: readonly string[];
}

/** A program for the database's container, and the bytes of its input before the backup. */
export interface RestoreProgram {
  readonly program: readonly string[];
  readonly head: Buffer;
}

/** @param migrations of the backup; the migrate job applies the others @param keepKeys whether the backup's signing keys stay valid */
export async function restoreProgram({ applied, own }: AppliedMigrations, keepKeys: boolean): Promise<RestoreProgram> {
  const sql = (...names: readonly string[]): Promise<string[]> =>
    Promise.all(names.map((name) => restoreFile(`${name}.sql`)));
  const inDatabase = (path: string): Promise<string> => readFile(join(projectFolder, "database", path), "utf8");
  const schema = await Promise.all(applied.map((name) => inDatabase(`migrations/${name}.sql`)));
  const hasOwn = own.length > 0;
  const current = applied.length === migrationNames().length;
  // No text of a backup can know the key, and without it psql obeys no command of its own that starts a program or opens a file.
  const key = randomBytes(16).toString("hex");
  const before = [
    `\\restrict ${key}\nbegin;`,
    ...(await sql("settings", "remember", "empty")),
    ...schema,
    ...(hasOwn ? await sql("replay") : []),
  ];
  const after = [
    ...(await sql("generation", ...(hasOwn ? ["after-replay"] : []), "attach-partitions")),
    ...(current ? [await inDatabase("migrate/grants.sql")] : []),
    ...(await sql("carry-over", "tell")),
    `commit;\n\\unrestrict ${key}\n\\o`,
    ...(await sql("report")),
  ];
  const [first, last] = [before, after].map((texts) => Buffer.from(`${texts.join("\n")}\n`)) as [Buffer, Buffer];
  const values = [String(last.length), String(first.length), JSON.stringify(own), String(keepKeys)];
  return {
    program: [
      "bash",
      "-o",
      "pipefail",
      "-c",
      await restoreFile("restore.sh"),
      "restore",
      ...values,
      await restoreFile("only-rows.awk"),
    ],
    head: Buffer.concat([last, first]),
  };
}
