import { access, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { finished } from "node:stream/promises";
import type { Writable } from "node:stream";
import { Failure } from "@routeql/host/failure";
import { type Programs, runProgram } from "./programs.ts";
import { counted, type ShowBytes } from "./counted.ts";
import { holdPartitions } from "./hold-partitions.ts";

/** What a backup holds. The engine's metadata (hdb_catalog) come from the repository, and the roles from the migrate job. */
export const backedUpSchemas = ["auth", "migrations", "public", "routing"] as const;

const dump = [
  "pg_dump",
  "--format=custom",
  "--compress=zstd:3",
  "--lock-wait-timeout=60s",
  ...backedUpSchemas.map((name) => `--schema=${name}`),
];

/** Streams a dump in pg_dump's custom format, as of one moment; what works on the database meanwhile goes on. */
export async function dumpTo(programs: Programs, target: Writable, show: ShowBytes): Promise<number> {
  const { stream, bytes } = counted(show);
  target.once("error", (error) => stream.destroy(error));
  stream.pipe(target, { end: false });
  // From the start: the target may also fail while the partitions are let go.
  const whole = finished(stream);
  whole.catch(() => undefined);
  try {
    await holdPartitions(programs, () => runProgram(programs, "backup", dump, { output: stream }, "The backup"));
    stream.end();
    await whole;
    return bytes();
  } finally {
    stream.unpipe(target).destroy();
  }
}

/**
 * Writes a backup that only its owner can read. The file has its name when it is whole and on the disk, or not at all.
 * @returns its size in bytes
 * @throws Failure when the file exists or cannot be written, or the dump fails
 */
export async function backUpTo(programs: Programs, file: string, show: ShowBytes): Promise<number> {
  if (await access(file).then(() => true, () => false)) {
    throw new Failure(`${file} exists already`, { remedy: "name another file, or remove that one." });
  }
  const partial = `${file}.partial`;
  try {
    await rm(partial, { force: true });
    const bytes = await dumpToFile(programs, partial, show);
    await rename(partial, file);
    await flushFolder(dirname(file));
    return bytes;
  } catch (error) {
    await rm(partial, { force: true });
    throw asFailure(file, error, "nothing is left of it; choose another place with --to.");
  }
}

async function dumpToFile(programs: Programs, file: string, show: ShowBytes): Promise<number> {
  const target = (await open(file, "wx", 0o600)).createWriteStream({ flush: true });
  try {
    const bytes = await dumpTo(programs, target, show);
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

/** The same to standard output, whose reader has to tell by the exit code whether all of it came. */
export async function backUpToOutput(programs: Programs, show: ShowBytes): Promise<void> {
  try {
    await dumpTo(programs, process.stdout, show);
  } catch (error) {
    throw asFailure("standard output", error, "what came of it is of no use; look at the program that takes it.");
  }
}

function asFailure(place: string, error: unknown, remedy: string): unknown {
  const code = (error as NodeJS.ErrnoException).code ?? "";
  const reasons: Readonly<Record<string, string>> = {
    ENOSPC: "the disk is full",
    EDQUOT: "the quota is used up",
    ENOENT: "there is no such folder",
    EACCES: "it may not be written",
    EROFS: "the file system is read-only",
    EPIPE: "whoever reads it has ended",
  };
  const reason = reasons[code];
  if (reason === undefined) return error;
  return new Failure(`The backup could not be written to ${place}: ${reason}`, { remedy, cause: error });
}
