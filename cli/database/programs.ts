import { Failure } from "@routeql/host/failure";
import { type Execute, lastWords, type ProgramStreams } from "@routeql/host/program-streams";
import type { DatabaseRole } from "../stack/outputs.ts";

/** Access to Postgres' client programs (psql, pg_dump) with a route to a stack's database. */
export interface Programs {
  /** Runs a program whose environment has the address of the database and the login of this role. */
  readonly as: (role: DatabaseRole) => Execute;
  /** Stops a running program. */
  readonly signal?: AbortSignal | undefined;
}

export type ClientPrograms = Programs & AsyncDisposable;

/**
 * Runs one program to its end.
 * @throws Failure with the last lines of its standard error when the exit code is not 0; the signal's reason when the signal ends the
 * program; the error of its input or output
 */
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
