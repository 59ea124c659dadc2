import { lastWords } from "@routeql/host/program-streams";
import { messageOf } from "@routeql/host/failure";
import { type Programs, runProgram } from "./programs.ts";

/** A database of an earlier version has no such table. */
const statement = (run: string, bytes: number | undefined): string => `do $$ begin
  if to_regclass('migrations.finished_runs') is not null then
    insert into migrations.finished_runs (run, finished_at, bytes) values ('${run}', now(), ${bytes ?? "null"})
    on conflict (run) do update set finished_at = excluded.finished_at, bytes = excluded.bytes;
  end if;
end $$`;

/**
 * Records in the database that a run has finished, for the status and the alert on old backups. A failure is printed and changes nothing,
 * because the run itself has succeeded.
 */
export async function recordRun(programs: Programs, run: "backup" | "restore", bytes?: number): Promise<void> {
  const psql = ["psql", "--no-psqlrc", "--quiet", "--set=ON_ERROR_STOP=1", "--command", statement(run, bytes)];
  await runProgram(programs, "owner", psql, { output: lastWords().stream }, `Recording the time of the ${run}`).catch(
    (error: unknown) => console.error(`The ${run} is complete. ${messageOf(error)}`),
  );
}
