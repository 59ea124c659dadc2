import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "pg";
import { describe, expect, test } from "vitest";
import { database } from "../e2e/support/database.ts";
import { containerOf } from "../e2e/support/docker.ts";
import { mustRun } from "../harness/process.ts";
import { ask } from "./support/ask.ts";
import { asSuperuser, connectionsTo } from "./support/parts.ts";
import type { Outcome } from "./support/answers.ts";
import { countFault } from "./support/figures.ts";
import type { Asker } from "./support/members.ts";
import { suffer } from "./support/suffer.ts";
import { theWorld } from "./support/world.ts";

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
    const hogs = `rm -f ${enough}; for i in $(seq ${most + 10}); do (until [ -e ${enough} ] || PGAPPNAME=hog ${psql} 'select pg_sleep(60)' 2>/dev/null; do sleep 0.2; done) & done; wait`;
    const inDatabase = (...command: string[]): Promise<string> =>
      mustRun("docker", ["exec", containerOf("database"), ...command]);
    let done: Promise<unknown> = Promise.resolve();
    await suffer({
      inject: async () => {
        const ending = inDatabase("psql", "--no-psqlrc", "--dbname=routeql", "--command", thief);
        await sleep(500);
        done = Promise.all([ending, inDatabase("bash", "-c", hogs)]);
      },
      undo: () => done,
      milliseconds: 0,
      recovery: 45_000,
      noticed: true,
    });
  });
});

describe("half of a load is aborted by its clients", () => {
  test("cancelled requests leave no statement in Postgres and no leaked connection", { timeout: 120_000 }, async () => {
    const askers = (await theWorld()).askers.filter(({ name }) => name !== "login");
    await (await theWorld()).crowd.stop();
    const left = new AbortController();
    const asked = (count: number, signal?: AbortSignal): Promise<Outcome>[] =>
      Array.from({ length: count }, (_, index) =>
        ask({ ...updatesOnly(askers[index % askers.length] as Asker), ...(signal === undefined ? {} : { signal }) }),
      );
    const owner = await database("owner");
    await owner.query("begin");
    // Readers of updates wait for this lock.
    await owner.query("lock table routing.bgp_updates in access exclusive mode");
    let leaving: Promise<Outcome>[] = [];
    let staying: Promise<Outcome>[] = [];
    try {
      leaving = asked(35, left.signal);
      await expect.poll(() => statementsWaiting(owner), { timeout: 10_000, interval: 50 }).toBeGreaterThan(1);
      // They find every connection of the engine busy, so none of their statements nears its limit before the others have disconnected.
      staying = asked(5);
      await sleep(500);
      left.abort();
      // Of the engine's ten connections, two may have statements that run for long; the other requests wait in the engine. Hasura
      // finishes the requests of clients that left, so its statements end with the lock.
      if (process.env["ENGINE"] === "hasura") expect(await statementsWaiting(owner)).toBeLessThanOrEqual(10);
      else await expect.poll(() => statementsWaiting(owner), { timeout: 4000, interval: 50 }).toBe(2);
    } finally {
      await owner.query("rollback");
    }
    const outcomes = { leaving: await Promise.all(leaving), staying: await Promise.all(staying) };
    expect(outcomes.staying.map(({ verdict }) => verdict)).toEqual(outcomes.staying.map(() => "right"));
    expect(outcomes.leaving.map(({ verdict }) => verdict)).toEqual(outcomes.leaving.map(() => "unreachable"));

    const started = performance.now();
    await expect
      .poll(
        () =>
          asSuperuser("select count(*) from pg_stat_activity where usename = 'routeql_engine' and state = 'active'"),
        { timeout: 10_000 },
      )
      .toBe("0\n");
    const open = Number(await asSuperuser("select count(*) from pg_stat_activity where usename = 'routeql_engine'"));
    expect(open, "connections of the engine to Postgres").toBeLessThanOrEqual(10);
    await expect.poll(() => connectionsTo("engine", 8080), { timeout: 15_000 }).toBeLessThanOrEqual(2);
    countFault({
      requests: leaving.length + staying.length,
      wrong: 0,
      lost: 0,
      recovered: performance.now() - started,
      longest: 0,
    });
  });
});

/** The asker's next question about updates, because those about hijacks do not wait for the lock. */
function updatesOnly(asker: Asker): ReturnType<Asker["next"]> {
  for (;;) {
    const question = asker.next();
    if (JSON.stringify(question.body).includes("view_bgpupdates(")) return question;
  }
}

/** Number of sessions that wait for this connection's lock on the updates. */
async function statementsWaiting(holder: Client): Promise<number> {
  const { rows } = await holder.query<{ count: number }>(
    "select count(distinct pid)::integer as count from pg_locks where not granted and relation = 'routing.bgp_updates'::regclass",
  );
  return rows[0]?.count ?? 0;
}
