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

/** pg_dump's custom format begins so. */
const magic = "PGDMP";

/** Whether there is something that a restore would take away; the first administrator of a new stack is nothing. */
const occupied = `select coalesce(string_agg(what, ', '), '') from (
  select 'routing updates' as what where exists (select from routing.bgp_updates)
  union all select 'hijacks' where exists (select from routing.hijacks)
  union all select 'configured prefixes' where exists (select from routing.configured_prefixes)
  union all select 'accounts' where (select count(*) from auth.users) > 1) found`;

/** All or nothing: only a dump that was read to its end is committed. A database without any of it is no error. */
const restore = `{ echo 'begin; set client_min_messages = warning; drop schema if exists ${backedUpSchemas.join(", ")} cascade;' \
&& pg_restore --exit-on-error --file=- && echo 'commit;'; } | psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --file=- --output=/dev/null`;

async function output(programs: Programs, program: readonly string[], what: string, input?: Readable): Promise<string> {
  const taken = new PassThrough();
  const all = text(taken);
  await runProgram(programs, "owner", program, { output: taken, ...(input === undefined ? {} : { input }) }, what).finally(() => taken.end());
  return (await all).trim();
}

/** @throws Failure when the file is no backup */
async function refuseOtherFiles(file: string): Promise<void> {
  const remedy = "take a file that `npm run backup` wrote.";
  const start = Buffer.alloc(magic.length);
  try {
    await using handle = await open(file);
    await handle.read(start, 0, start.length, 0);
  } catch (error) {
    throw new Failure(`${file} cannot be read: ${unreadable(error) ?? messageOf(error)}`, { remedy, cause: error });
  }
  if (start.toString("latin1") !== magic) throw new Failure(`${file} is not a backup (it does not begin as pg_dump's custom format)`, { remedy });
}

/** Names of the migrations that this checkout has. */
async function knownMigrations(): Promise<ReadonlySet<string>> {
  const names = await readdir(join(projectFolder, "database/migrations"));
  return new Set(names.filter((name) => name.endsWith(".sql")).map((name) => name.slice(0, -".sql".length)));
}

/** @throws Failure when the backup comes from a later version, whose tables this one does not know */
async function refuseLaterVersions(programs: Programs, file: string): Promise<void> {
  const program = ["pg_restore", "--data-only", "--schema=migrations", "--table=schema_migrations", "--file=-"];
  const copy = await output(programs, program, "Reading the backup", createReadStream(file));
  const [, columns = "", rows = ""] = /^COPY [^(]+\(([^)]*)\) FROM stdin;\n([\s\S]*?)^\\\.$/m.exec(copy) ?? [];
  const at = columns.split(", ").indexOf("name");
  const applied = rows.split("\n").filter((row) => row !== "").map((row) => row.split("\t")[at] ?? "");
  if (applied.length === 0) throw new Failure(`${file} does not say which migrations it has`, { remedy: "take a file that `npm run backup` wrote." });
  const known = await knownMigrations();
  const unknown = applied.filter((name) => !known.has(name));
  if (unknown.length === 0) return;
  throw new Failure(`${file} comes from a later version: this checkout has no migration ${unknown.join(", ")}`, {
    remedy: "check that version out and run `npm run up` first.",
  });
}

async function refuseOccupied(programs: Programs): Promise<void> {
  const psql = ["psql", "--no-psqlrc", "--quiet", "--tuples-only", "--no-align", "--set=ON_ERROR_STOP=1", "--command"];
  const exists = await output(programs, [...psql, "select to_regclass('auth.users') is not null"], "Looking into the database");
  if (exists !== "t") return;
  const found = await output(programs, [...psql, occupied], "Looking into the database");
  if (found === "") return;
  throw new Failure(`The database is not empty: it has ${found}`, {
    remedy: "take a backup of it first; with --replace all of it goes and the backup takes its place.",
  });
}

export interface RestoreOptions {
  /** Whether what is there may go. */
  readonly replace: boolean;
  readonly show: ShowBytes;
}

/**
 * Puts a backup in the database's place, in one transaction: a failure leaves what was there. Afterwards the migrate job has to run, which
 * applies what the backup lacks.
 * @throws Failure when the file is no backup or of a later version, when the database is not empty, or when Postgres refuses
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
