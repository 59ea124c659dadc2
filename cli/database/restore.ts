import { createReadStream } from "node:fs";
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { PassThrough, type Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { unreadable } from "@routeql/database/shared/unreadable";
import { projectFolder } from "@routeql/host/paths";
import { Failure, messageOf } from "@routeql/host/failure";
import { backedUpSchemas } from "./backup.ts";
import { type Programs, runProgram } from "./programs.ts";
import { counted, type ShowBytes } from "./counted.ts";

/** First bytes of pg_dump's custom format. */
const magic = "PGDMP";

/** Lists the data that a restore would delete. The first administrator of a new stack does not count. */
const occupied = `select coalesce(string_agg(what, ', '), '') from (
  select 'routing updates' as what where exists (select from routing.bgp_updates)
  union all select 'hijacks' where exists (select from routing.hijacks)
  union all select 'configured prefixes' where exists (select from routing.configured_prefixes)
  union all select 'accounts' where (select count(*) from auth.users) > 1) found`;

/** One transaction: only a dump that was read to its end is committed. A database without these schemas is no error. */
const restore = `{ echo 'begin; set client_min_messages = warning; drop schema if exists ${backedUpSchemas.join(", ")} cascade;' \
&& pg_restore --exit-on-error --file=- && echo 'commit;'; } | psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --file=- --output=/dev/null`;

async function output(programs: Programs, program: readonly string[], what: string, input?: Readable): Promise<string> {
  const taken = new PassThrough();
  const all = text(taken);
  await runProgram(
    programs,
    "owner",
    program,
    { output: taken, ...(input === undefined ? {} : { input }) },
    what,
  ).finally(() => taken.end());
  return (await all).trim();
}

/** @throws Failure when the file is not a backup */
async function refuseOtherFiles(file: string): Promise<void> {
  const remedy = "choose a file that `npm run backup` wrote.";
  const start = Buffer.alloc(magic.length);
  try {
    await using handle = await open(file);
    await handle.read(start, 0, start.length, 0);
  } catch (error) {
    throw new Failure(`${file} cannot be read: ${unreadable(error) ?? messageOf(error)}`, { remedy, cause: error });
  }
  if (start.toString("latin1") !== magic)
    throw new Failure(`${file} is not a backup (it does not start with the header of pg_dump's custom format)`, {
      remedy,
    });
}

/** Names of the migrations in this checkout. */
async function knownMigrations(): Promise<ReadonlySet<string>> {
  const names = await readdir(join(projectFolder, "database/migrations"));
  return new Set(names.filter((name) => name.endsWith(".sql")).map((name) => name.slice(0, -".sql".length)));
}

/** @throws Failure when the backup comes from a later version with unknown tables */
async function refuseLaterVersions(programs: Programs, file: string): Promise<void> {
  const program = ["pg_restore", "--data-only", "--schema=migrations", "--table=schema_migrations", "--file=-"];
  const copy = await output(programs, program, "Reading the backup", createReadStream(file));
  const [, columns = "", rows = ""] = /^COPY [^(]+\(([^)]*)\) FROM stdin;\n([\s\S]*?)^\\\.$/m.exec(copy) ?? [];
  const at = columns.split(", ").indexOf("name");
  const applied = rows
    .split("\n")
    .filter((row) => row !== "")
    .map((row) => row.split("\t")[at] ?? "");
  if (applied.length === 0)
    throw new Failure(`${file} has no record of its migrations`, {
      remedy: "choose a file that `npm run backup` wrote.",
    });
  const known = await knownMigrations();
  const unknown = applied.filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  throw new Failure(`${file} comes from a later version: this checkout has no migration ${unknown.join(", ")}`, {
    remedy: "check out that version and run `npm run up` first.",
  });
}

async function refuseOccupied(programs: Programs): Promise<void> {
  const psql = ["psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1", "--command"];
  const exists = await output(
    programs,
    [...psql, "select to_regclass('auth.users') is not null"],
    "Inspecting the database",
  );
  if (exists !== "t") return;
  const found = await output(programs, [...psql, occupied], "Inspecting the database");
  if (found === "") return;
  throw new Failure(`The database is not empty: it has ${found}`, {
    remedy: "back it up first; --replace deletes its content and restores the backup in its place.",
  });
}

export interface RestoreOptions {
  /** Whether the current content may be deleted. */
  readonly replace: boolean;
  readonly show: ShowBytes;
}

/**
 * Replaces the database's content by a backup in one transaction: a failure changes nothing. Run the migrate job afterwards; it applies the
 * migrations that the backup lacks.
 * @throws Failure when the file is not a backup or comes from a later version, when the database is not empty, or when Postgres fails
 */
export async function restoreFrom(programs: Programs, file: string, { replace, show }: RestoreOptions): Promise<void> {
  await refuseOtherFiles(file);
  await refuseLaterVersions(programs, file);
  if (!replace) await refuseOccupied(programs);
  const { stream } = counted(show);
  const input = createReadStream(file);
  input.once("error", (error) => stream.destroy(error));
  await output(programs, ["bash", "-o", "pipefail", "-c", restore], "The restore", input.pipe(stream));
}
