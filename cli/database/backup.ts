import { once } from "node:events";
import { existsSync } from "node:fs";
import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { PassThrough, type Writable } from "node:stream";
import { createInterface } from "node:readline";
import { finished } from "node:stream/promises";
import { loginRole } from "@routeql/database/migrate/roles";
import { Failure } from "@routeql/host/failure";
import type { SavedState } from "../saved-state/saved-state.ts";
import { writeComplete } from "./backup-file.ts";
import { countedStream, type ShowBytes } from "./transferred-bytes.ts";
import { type Programs, runProgram } from "../place/programs.ts";

/** RouteQL's schemas in a backup. The engine's metadata (hdb_catalog) comes from the repository, the roles from the migrate job. */
export const backedUpSchemas = ["auth", "migrations", "public", "routing"] as const;

const dump = ["pg_dump", "--format=custom", "--compress=zstd:3", "--lock-wait-timeout=60s"];

/** Streams a consistent snapshot in pg_dump's custom format. Other work on the database continues. */
export async function dumpTo(programs: Programs, target: Writable, show: ShowBytes): Promise<number> {
  const { stream, bytes } = countedStream(show);
  target.once("error", (error) => stream.destroy(error));
  stream.pipe(target, { end: false });
  // Observed from the start: the target may also fail while the locks are released.
  const whole = finished(stream);
  whole.catch(() => undefined);
  try {
    await holdPartitions(programs, (own) => {
      const schemas = [...backedUpSchemas, ...own].map((name) => `--schema="${name.replaceAll('"', '""')}"`);
      return runProgram(programs, "backup", [...dump, ...schemas], { output: stream }, "The backup");
    });
    stream.end();
    await whole;
    return bytes();
  } finally {
    stream.unpipe(target).destroy();
  }
}

/** Writes a private backup; the file appears when it is complete and synced. @returns its bytes @throws Failure, and leaves no file */
export async function backUpTo(programs: Programs, file: string, show: ShowBytes, state?: SavedState): Promise<number> {
  if (existsSync(file))
    throw new Failure(`${file} exists already`, { remedy: "choose another file name, or delete that file." });
  const partial = `${file}.partial`;
  try {
    await rm(partial, { force: true });
    const bytes = await dumpToFile(programs, partial, show, state);
    await rename(partial, file);
    await flushFolder(dirname(file));
    return bytes;
  } catch (error) {
    await rm(partial, { force: true });
    throw asFailure(file, error, "the partial file was deleted; choose another target with --to.");
  }
}

/** Writes a complete backup if a state is given, else a dump. The target stays open. */
const writeTo = (programs: Programs, target: Writable, show: ShowBytes, state?: SavedState): Promise<number> =>
  state === undefined
    ? dumpTo(programs, target, show)
    : writeComplete(state, target, (pieces) => dumpTo(programs, pieces, show));

async function dumpToFile(programs: Programs, file: string, show: ShowBytes, state?: SavedState): Promise<number> {
  const target = (await open(file, "wx", 0o600)).createWriteStream({ flush: true });
  try {
    const bytes = await writeTo(programs, target, show, state);
    target.end();
    await finished(target);
    return bytes;
  } finally {
    target.destroy();
  }
}

async function flushFolder(folder: string): Promise<void> {
  await using handle = await open(folder);
  await handle.sync();
}

/** Writes a backup to standard output. The exit code shows its reader whether the backup is complete. @returns its size in bytes */
export async function backUpToOutput(programs: Programs, show: ShowBytes, state?: SavedState): Promise<number> {
  try {
    return await writeTo(programs, process.stdout, show, state);
  } catch (error) {
    throw asFailure("standard output", error, "discard the incomplete output, and check the program that reads it.");
  }
}

function asFailure(place: string, error: unknown, remedy: string): unknown {
  const code = (error as NodeJS.ErrnoException).code ?? "";
  const reasons: Readonly<Record<string, string>> = {
    ENOSPC: "the disk is full",
    EDQUOT: "the disk quota is exceeded",
    ENOENT: "the folder does not exist",
    EACCES: "permission denied",
    EROFS: "the file system is read-only",
    EPIPE: "the program that reads it has ended",
  };
  const reason = reasons[code];
  if (reason === undefined) return error;
  return new Failure(`The backup could not be written to ${place}: ${reason}`, { remedy, cause: error });
}

const held = "held";

/** Ends with its input, which also ends the transaction. */
const psql = ["psql", "--no-psqlrc", "--quiet", "--no-align", "--tuples-only", "--set=ON_ERROR_STOP=1", "--file=-"];

const hold = `set idle_in_transaction_session_timeout = 0; begin;
select 'lock table routing.bgp_updates in access share mode' where to_regclass('routing.bgp_updates') is not null \\gexec
select '${held} ' || coalesce(json_agg(nspname), '[]') from pg_namespace
where pg_get_userbyid(nspowner) = '${loginRole("owner")}' and nspname not in (${backedUpSchemas.map((name) => `'${name}'`).join(", ")});
`;

/** Runs `work` while no partition changes: pg_dump lists partitions before it locks them. Queries and loads continue. @throws Failure */
export async function holdPartitions<T>(
  { as, signal }: Programs,
  work: (ownSchemas: readonly string[]) => Promise<T>,
): Promise<T> {
  const input = new PassThrough();
  const output = new PassThrough();
  const holding = runProgram({ as, signal }, "backup", psql, { input, output }, "The backup");
  holding.catch(() => undefined);
  try {
    input.write(hold);
    const [line] = (await Promise.race([once(createInterface(output), "line"), holding])) ?? [];
    return await work(JSON.parse(String(line ?? held).slice(held.length) || "[]") as string[]);
  } finally {
    input.end();
    await holding.catch(() => undefined);
  }
}
