import { setTimeout as sleep } from "node:timers/promises";
import { describe, test } from "vitest";
import { containerOf } from "../e2e/support/stack/docker.ts";
import { mustRun } from "../harness/process.ts";
import { asSuperuser } from "./support/parts.ts";
import { suffer } from "./support/suffer.ts";

describe("the database is out of connections", () => {
  test("errors are clean, and every client is served again afterwards", { timeout: 150_000 }, async () => {
    const most = Number(await asSuperuser("show max_connections"));
    const enough = "/tmp/enough";
    const psql = "psql --no-psqlrc --quiet --dbname=routeql --command";
    // The hogs wait until no connection is left, for any time. Then the test closes the connections of the engine and the sidecar, so
    // that both must reconnect, and finally those of the hogs, which do not reconnect.
    const thief = `do $$ declare since timestamptz := clock_timestamp(); begin
        while (select count(*) from pg_stat_activity where backend_type = 'client backend') < ${most} loop
          if clock_timestamp() > since + interval '60 s' then raise 'not every connection was taken within 60 s'; end if;
          perform pg_sleep(0.1), pg_stat_clear_snapshot();
        end loop;
        for turn in 1..20 loop
          perform pg_stat_clear_snapshot();
          perform pg_terminate_backend(pid) from pg_stat_activity where usename in ('routeql_engine', 'routeql_sidecar');
          perform pg_sleep(0.1);
        end loop;
        execute 'copy (select 1) to ''${enough}''';
        for turn in 1..20 loop
          perform pg_stat_clear_snapshot();
          perform pg_terminate_backend(pid) from pg_stat_activity where application_name = 'hog';
          perform pg_sleep(0.1);
        end loop;
      end $$`;
    const hogs = `rm -f ${enough}; for i in $(seq ${most + 10}); do (until [ -e ${enough} ] || [ $SECONDS -gt 90 ] || PGAPPNAME=hog ${psql} 'select pg_sleep(60)' 2>/dev/null; do sleep 0.2; done) & done; wait`;
    const inDatabase = (...command: string[]): Promise<string> =>
      mustRun("docker", ["exec", containerOf("database"), ...command]);
    let done: Promise<unknown> = Promise.resolve();
    await suffer({
      inject: async () => {
        const thieves = "select count(*) from pg_stat_activity where application_name = 'thief'";
        const ending = inDatabase(
          "env",
          "PGAPPNAME=thief",
          "psql",
          "--no-psqlrc",
          "--dbname=routeql",
          "--command",
          thief,
        );
        // It needs a connection before the hogs take all of them.
        while (Number(await asSuperuser(thieves)) === 0) await sleep(100);
        done = Promise.all([ending, inDatabase("bash", "-c", hogs)]);
      },
      undo: () => done,
      milliseconds: 0,
      recovery: 45_000,
      noticed: true,
    });
  });
});
