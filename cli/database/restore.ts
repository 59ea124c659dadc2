/**
 * How a backup becomes a database again. None of its SQL runs: this checkout's migrations create the schema, and the file contributes rows.
 * The steps are the files of database/restore/, unchanged; a value of a backup is a variable of psql or a row. In one transaction:
 *
 * 1. `remember.sql` reads accounts and keys of the replaced database, and `empty.sql` deletes its content
 * 2. the migrations of the backup create the schema; `replay.sql` runs the operator's migrations, whose texts the replaced database has
 * 3. `restore.sh` passes on the dump's rows: `only-rows.awk` rejects any other SQL
 * 4. `after-rows.sql` attaches partitions and notifies readers; `after-replay.sql` resumes triggers and refreshes materialized views;
 *    `migrate/grants.sql` sets the rights, unless the backup lacks migrations
 * 5. `carry-over.sql` keeps accounts disabled and passwords changed, and withdraws signing keys
 *
 * After the commit, `report.sql` returns what the last step did. commands/restore.ts then runs the job migrate for later migrations, and opens
 * logins. A restore from the archive (docker/archive.ts) replaces the files of the database, and uses only the steps remember and carry over.
 */
import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { Failure } from "@routeql/host/failure";
import { BackupFile } from "./backup-file.ts";
import { describeCarryOver, keptIn, restoreFile } from "./carry-over.ts";
import { outputOf, type Programs } from "../place/programs.ts";
import { countedStream, type ShowBytes } from "./transferred-bytes.ts";
import { refuseOccupied } from "./occupied.ts";
import { guardOptions } from "@routeql/database/migrate/connect";
import { isMigrationName, migrationNames } from "@routeql/database/migrate/migration-names";

/** Names in a table of migrations, from the text of its rows. */
function namesIn(copy: string, table: string): string[] {
  const pattern = new RegExp(`^COPY migrations\\.${table} \\(([^)]*)\\) FROM stdin;\\n([\\s\\S]*?)^\\\\\\.$`, "m");
  const [, columns = "", rows = ""] = pattern.exec(copy) ?? [];
  const at = columns.split(", ").indexOf("name");
  return rows
    .split("\n")
    .filter((row) => row !== "")
    .map((row) => row.split("\t")[at] ?? "")
    .toSorted();
}

/** Reads the names of the backup's migrations. @throws Failure when those of RouteQL are not the first ones of this checkout */
export async function migrationsIn(
  programs: Programs,
  file: Pick<BackupFile, "name" | "dump">,
): Promise<AppliedMigrations> {
  const tables = ["--table=schema_migrations", "--table=own_migrations"];
  const program = ["pg_restore", "--data-only", "--schema=migrations", ...tables, "--file=-"];
  const copy = await outputOf(programs, program, "Reading the backup", file.dump()).catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error;
    const { message, lastLines } = error;
    const remedy =
      error.remedy ?? `${file.name} is truncated or damaged: choose another backup. The database is unchanged.`;
    throw new Failure(message, { lastLines, remedy, cause: error });
  });
  const applied = namesIn(copy, "schema_migrations");
  if (applied.length === 0)
    throw new Failure(`${file.name} has no record of its migrations`, {
      remedy: "choose a file that `npm run backup` wrote.",
    });
  const own = namesIn(copy, "own_migrations");
  const strange = [...applied, ...own].find((name) => !isMigrationName(`${name}.sql`));
  if (strange !== undefined)
    throw new Failure(
      `${file.name} names a migration ${JSON.stringify(strange)}, which no migration can have as name`,
      { remedy: "choose a file that `npm run backup` wrote." },
    );
  const known = migrationNames();
  const unknown = applied.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new Failure(`${file.name} comes from a later version: this checkout has no migration ${unknown.join(", ")}`, {
      remedy: "check out that version and run `npm run up` first.",
    });
  const missing = known.slice(0, applied.length).find((name, index) => name !== applied[index]);
  if (missing !== undefined)
    throw new Failure(`${file.name} lacks the migration ${missing}, but has a later one`, {
      remedy: "choose a file that `npm run backup` wrote.",
    });
  return { applied, own };
}

/** With start-up options that precede the settings of the database, which may keep every program from connecting. */
const guarded = ({ as, signal }: Programs): Programs => ({
  as: (role) => {
    const execute = as(role);
    return (program, streams) => execute(["env", `PGOPTIONS=${guardOptions}`, ...program], streams);
  },
  signal,
});

interface AppliedMigrations {
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
export function restoreProgram({ applied, own }: AppliedMigrations, keepKeys: boolean): RestoreProgram {
  const sql = (...names: readonly string[]): string[] => names.map((name) => restoreFile(`${name}.sql`));
  const schema = sql(...applied.map((name) => `../migrations/${name}`));
  const hasOwn = own.length > 0;
  const current = applied.length === migrationNames().length;
  // No text of a backup can know the key, and without it psql obeys no command of its own that starts a program or opens a file.
  const key = randomBytes(16).toString("hex");
  const before = [
    `\\restrict ${key}\nbegin;`,
    ...sql("remember", "empty"),
    ...schema,
    ...(hasOwn ? sql("replay") : []),
  ];
  const after = [
    ...sql("after-rows", ...(hasOwn ? ["after-replay"] : [])),
    ...(current ? sql("../migrate/grants") : []),
    ...sql("carry-over"),
    `commit;\n\\unrestrict ${key}\n\\o`,
    ...sql("report"),
  ];
  const [first, last] = [before, after].map((texts) => Buffer.from(`${texts.join("\n")}\n`)) as [Buffer, Buffer];
  const values = [String(last.length), String(first.length), JSON.stringify(own), String(keepKeys)];
  return {
    program: [
      "bash",
      "-o",
      "pipefail",
      "-c",
      restoreFile("restore.sh"),
      "restore",
      ...values,
      restoreFile("only-rows.awk"),
    ],
    head: Buffer.concat([last, first]),
  };
}

export interface RestoreOptions {
  /** Whether the current content may be deleted. */
  readonly replace: boolean;
  /** Whether the signing keys of the backup stay valid. Default: all are withdrawn. */
  readonly keepKeys?: boolean;
  readonly show: ShowBytes;
}

/** Replaces the database by a backup's rows in one transaction. @returns what it kept and what came back @throws Failure, unchanged */
export async function restoreFrom(
  given: Programs,
  file: string,
  { replace, keepKeys = false, show }: RestoreOptions,
): Promise<string[]> {
  const programs = guarded(given);
  const backup = await BackupFile.open(file);
  const migrations = await migrationsIn(programs, backup);
  if (!replace) await refuseOccupied(programs);
  const { program, head } = restoreProgram(migrations, keepKeys);
  const { stream } = countedStream(show);
  const input = backup.dump();
  input.once("error", (error) => stream.destroy(error));
  const withHead = Readable.from(
    (async function* () {
      yield head;
      yield* input.pipe(stream) as AsyncIterable<Buffer>;
    })(),
    { objectMode: false },
  );
  return describeCarryOver(keptIn(await outputOf(programs, program, "The restore", withHead)));
}
