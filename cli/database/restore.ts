import { Readable } from "node:stream";
import { Failure } from "@routeql/host/failure";
import { BackupFile } from "./backup-file.ts";
import { describeCarryOver, keptIn } from "./carry-over.ts";
import { outputOf, type Programs } from "../place/programs.ts";
import { counted, type ShowBytes } from "./counted.ts";
import { guardOptions } from "@routeql/database/migrate/connect";
import { isMigrationName, migrationNames } from "@routeql/database/migrate/migration-names";
import { type AppliedMigrations, restoreProgram } from "./restore-script.ts";

/** Lists the data that a restore would delete. The first administrator of a new stack does not count. */
const occupied = `select coalesce(string_agg(what, ', '), '') from (
  select 'routing updates' as what where exists (select from routing.bgp_updates)
  union all select 'hijacks' where exists (select from routing.hijacks)
  union all select 'configured prefixes' where exists (select from routing.configured_prefixes)
  union all select 'accounts' where (select count(*) from auth.users) > 1) found`;

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
async function migrationsIn(programs: Programs, file: BackupFile): Promise<AppliedMigrations> {
  const tables = ["--table=schema_migrations", "--table=own_migrations"];
  const program = ["pg_restore", "--data-only", "--schema=migrations", ...tables, "--file=-"];
  const copy = await outputOf(programs, program, "Reading the backup", file.dump());
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

async function refuseOccupied(programs: Programs): Promise<void> {
  const psql = ["psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1", "--command"];
  const exists = await outputOf(
    programs,
    [...psql, "select to_regclass('auth.users') is not null"],
    "Inspecting the database",
  );
  if (exists !== "t") return;
  const found = await outputOf(programs, [...psql, occupied], "Inspecting the database");
  if (found === "") return;
  throw new Failure(`The database is not empty: it has ${found}`, {
    remedy: "back it up first; --replace deletes its content and restores the backup in its place.",
  });
}

/** With start-up options that precede the settings of the database, which may keep every program from connecting. */
const guarded = ({ as, signal }: Programs): Programs => ({
  as: (role) => {
    const execute = as(role);
    return (program, streams) => execute(["env", `PGOPTIONS=${guardOptions}`, ...program], streams);
  },
  signal,
});

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
  const { program, head } = await restoreProgram(migrations, keepKeys);
  const { stream } = counted(show);
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
