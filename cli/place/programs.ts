import { PassThrough, type Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { Failure, messageOf } from "@routeql/host/failure";
import { type Execute, lastWords, type ProgramStreams } from "@routeql/host/program-streams";
import type { DatabaseReach, DatabaseRole, StackValues } from "../pulumi/outputs.ts";

/** Access to Postgres' client programs (psql, pg_dump) with a route to a stack's database. */
export interface Programs {
  /** Runs a program whose environment has the address of the database and the login of this role. */
  readonly as: (role: DatabaseRole) => Execute;
  readonly signal?: AbortSignal | undefined;
}

export interface ClientPrograms extends Programs, AsyncDisposable {
  /** Address and encryption of the database as the programs see it. */
  readonly reach: DatabaseReach;
  readonly values: StackValues;
}

/** Runs one program to its end. @throws Failure with the last lines of its standard error; the signal's reason; an error of its streams */
export async function runProgram(
  { as, signal }: Programs,
  role: DatabaseRole,
  program: readonly string[],
  { input, output }: Pick<ProgramStreams, "input" | "output">,
  what: string,
): Promise<void> {
  const broken = new AbortController();
  const abandon = (error: Error): void => broken.abort(error);
  const errors = lastWords();
  for (const side of [output, input]) side?.once("error", abandon);
  try {
    const ends = signal === undefined ? broken.signal : AbortSignal.any([signal, broken.signal]);
    const code = await as(role)(program, { input, output, errors: errors.stream, signal: ends });
    if (code !== 0)
      throw new Failure(`${what} failed (${program[0]} ended with ${code})`, { lastLines: errors.lines() });
  } finally {
    for (const side of [output, input]) side?.off("error", abandon);
    input?.destroy();
  }
}

/** Runs a program as the owner. @returns its output, without space at its ends */
export async function outputOf(
  programs: Programs,
  program: readonly string[],
  what: string,
  input?: Readable,
): Promise<string> {
  const output = new PassThrough();
  const all = text(output);
  const streams = { output, ...(input === undefined ? {} : { input }) };
  await runProgram(programs, "owner", program, streams, what).finally(() => output.end());
  return (await all).trim();
}

interface RunFacts {
  readonly seconds?: number;
  readonly bytes?: number | undefined;
  /** End of the run. Default: now. */
  readonly at?: Date;
}

/** A database of an earlier version has no such function, and its table has fewer columns. */
const statement = (run: string, { seconds, bytes, at }: RunFacts): string => `do $$ begin
  if to_regprocedure('migrations.record_run(text, real)') is not null then
    insert into migrations.finished_runs (run, finished_at, seconds, bytes) values ('${run}', ${at === undefined ? "now()" : `'${at.toISOString()}'`}, ${seconds ?? "null"}, ${bytes ?? "null"})
    on conflict (run) do update set finished_at = excluded.finished_at, seconds = excluded.seconds, bytes = excluded.bytes
    ${at === undefined ? "" : "where finished_runs.finished_at < excluded.finished_at"};
  end if;
end $$`;

/** Records a finished run, for the status and the alert on old backups; a failure is printed only. @param started its begin */
export async function recordRun(
  programs: Programs,
  run: "backup" | "restore",
  started: number,
  bytes?: number,
): Promise<void> {
  await record(programs, run, { seconds: (performance.now() - started) / 1000, bytes });
}

/** Records the backup that a database was restored from: its own record of that run is newer than its content. @param at end of the backup */
export const recordBackupOf = (programs: Programs, at: Date, bytes: number): Promise<void> =>
  record(programs, "backup", { at, bytes });

async function record(programs: Programs, run: "backup" | "restore", facts: RunFacts): Promise<void> {
  const psql = ["psql", "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--command", statement(run, facts)];
  await runProgram(programs, "owner", psql, { output: lastWords().stream }, `Recording the time of the ${run}`).catch(
    (error: unknown) => console.error(`The ${run} is complete. ${messageOf(error)}`),
  );
}
