import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { database } from "../e2e/support/database.ts";
import { containerOf } from "../e2e/support/docker.ts";
import { mustRun, run } from "../harness/process.ts";
import { ask } from "./support/ask.ts";
import { asSuperuser, connectionsTo } from "./support/parts.ts";
import { countFault } from "./support/figures.ts";
import { everybody, suffer } from "./support/suffer.ts";

describe("the database is out of connections", () => {
  test("errors are ours, and every client is served again when there are some", { timeout: 150_000 }, async () => {
    const most = Number(await asSuperuser("show max_connections"));
    // One of them ends what the engine and the sidecar have, so that both must ask for new ones while there are none.
    const victims = "select pg_terminate_backend(pid) from pg_stat_activity where usename in ('routeql_engine', 'routeql_sidecar')";
    const hog = `for i in $(seq ${most + 20}); do psql -qAtd routeql -c 'select pg_sleep(7)' & done; wait`;
    let done: Promise<unknown> = Promise.resolve();
    await suffer({
      inject: async () => {
        const ending = mustRun("docker", ["exec", containerOf("database"), "psql", "-qAtd", "routeql", "-c", "select pg_sleep(3)", "-c", victims]);
        await sleep(1000);
        done = Promise.all([ending, run("docker", ["exec", containerOf("database"), "bash", "-c", hog])]);
      },
      undo: () => done,
      milliseconds: 0,
      recovery: 45_000,
      noticed: true,
    });
  });
});

describe("half of a load is aborted by its clients", () => {
  test("no statement of theirs goes on in Postgres, no connection leaks, and the others are answered rightly", { timeout: 120_000 }, async () => {
    const askers = (await everybody()).filter(({ name }) => name !== "login");
    const left = new AbortController();
    const owner = await database("owner");
    await owner.query("begin");
    // Whoever reads updates waits for this lock.
    await owner.query("lock table routing.bgp_updates in access exclusive mode");
    const waiting = Array.from({ length: 40 }, (_, index) => {
      const asker = askers[index % askers.length] as (typeof askers)[number];
      return ask({ ...updatesOnly(asker), ...(index < 5 ? {} : { signal: left.signal }) });
    });
    try {
      await expect.poll(activeStatements, { timeout: 10_000, interval: 100 }).toBeGreaterThan(5);
      left.abort();
      // The statement's own limit would end them all; while the lock is held, exactly those remain whose clients stayed.
      await expect.poll(activeStatements, { timeout: 4000, interval: 100 }).toBe(5);
    } finally {
      await owner.query("rollback");
    }
    const outcomes = await Promise.all(waiting);
    expect(outcomes.slice(0, 5).map(({ verdict }) => verdict)).toEqual(Array.from({ length: 5 }, () => "right"));
    expect(outcomes.slice(5).every(({ verdict }) => verdict === "unreachable")).toBe(true);

    const started = performance.now();
    await expect.poll(activeStatements, { timeout: 10_000 }).toBe(0);
    const open = Number(await asSuperuser("select count(*) from pg_stat_activity where usename = 'routeql_engine'"));
    expect(open, "connections of the engine to Postgres").toBeLessThanOrEqual(10);
    await expect.poll(() => connectionsTo("engine", 8080), { timeout: 15_000 }).toBeLessThanOrEqual(2);
    countFault({ requests: outcomes.length, wrong: outcomes.filter(({ verdict }) => verdict === "wrong").length, lost: 0, recovered: performance.now() - started, longest: 0 });
  });
});

/** The asker's next question about updates: those about hijacks do not wait for the lock. */
function updatesOnly(asker: Awaited<ReturnType<typeof everybody>>[number]): ReturnType<typeof asker.next> {
  for (;;) {
    const question = asker.next();
    if (JSON.stringify(question.body).includes("view_bgpupdates(")) return question;
  }
}

async function activeStatements(): Promise<number> {
  return Number(await asSuperuser("select count(*) from pg_stat_activity where usename = 'routeql_engine' and state = 'active'"));
}
