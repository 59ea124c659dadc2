import type { Client } from "pg";
import type { CommandOutput } from "./opened-database.ts";

/** A database of an earlier version has no such function. */
const statement = (run: string, seconds: number): string => `do $$ begin
  if exists (select from pg_proc where proname = 'record_run' and pronamespace = 'migrations'::regnamespace) then
    perform migrations.record_run('${run}', ${seconds});
  end if;
end $$`;

/** Records a command's success for the metrics; a failure is printed only. @param started `performance.now()` at its begin */
export async function recordRun(
  client: Client,
  run: "load" | "detect" | "prune",
  started: number,
  { stderr }: CommandOutput,
): Promise<void> {
  const seconds = (performance.now() - started) / 1000;
  await client.query(statement(run, seconds)).catch((error: unknown) => {
    stderr.write(
      `The time of this run could not be recorded: ${error instanceof Error ? error.message : String(error)}\n`,
    );
  });
}
