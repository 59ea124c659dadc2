import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { advisoryLocks } from "@routeql/database-access/advisory-locks";
import {
  DatabaseContainer,
  type DatabaseRole,
  type StartedDatabaseContainer,
} from "../harness/containers/database-container.ts";
import { preparedDatabaseImage } from "../harness/containers/database-image.ts";
import { partitionsOf, rowsOf } from "./support.ts";

const roles: readonly DatabaseRole[] = ["bootstrap", "owner", "engine", "sidecar", "loader", "backup", "metadata"];

describe("the migrate job", { timeout: 120_000 }, () => {
  let database: StartedDatabaseContainer;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "routeql-migrate-beside-"));
    database = await new DatabaseContainer(await preparedDatabaseImage()).withoutMigrations().start();
    for (const role of roles) await writeFile(join(folder, role), database.getPassword(role), { mode: 0o600 });
  }, 180_000);

  afterAll(async () => {
    await database?.stop();
    await rm(folder, { recursive: true });
  });

  /** The job as `database.migrate()` runs it, for tests that kill it. */
  function startJob() {
    const files = Object.fromEntries(roles.map((role) => [`${role.toUpperCase()}_PASSWORD_FILE`, join(folder, role)]));
    const env = {
      PATH: process.env["PATH"],
      DATABASE_HOST: database.getHost(),
      DATABASE_PORT: String(database.getPort()),
      DATABASE_NAME: "routeql",
      ...files,
    };
    return spawn(process.execPath, ["database/migrate/main.ts"], { env, stdio: "ignore" });
  }

  const waitingFor = (where: string): Promise<unknown[]> =>
    rowsOf(database, "bootstrap", `select pid from pg_locks where not granted and ${where}`);

  test("a killed job leaves no partial migration, and the next one applies all", async () => {
    await using other = await database.connect("bootstrap");
    // The second migration waits for the session that creates the same schema.
    await other.query("begin; create schema routing");
    const job = startJob();
    const ended = once(job, "exit");
    await expect.poll(() => waitingFor("locktype = 'transactionid'"), { timeout: 60_000 }).toHaveLength(1);
    job.kill("SIGKILL");
    await ended;
    await other.query("rollback");
    const left = "select nspname::text as schema from pg_namespace where nspname in ('auth', 'routing')";
    const clients = "select pid from pg_stat_activity where application_name = 'routeql-migrate'";
    await expect.poll(() => rowsOf(database, "bootstrap", clients), { timeout: 60_000 }).toEqual([]);
    expect(await rowsOf(database, "bootstrap", left)).toEqual([]);
    expect(await database.migrate()).toMatch(/applied migration 0001_.*\n.*applied migration 0002_/);
    expect(await database.migrate()).toContain("everything was in place");
  });

  test("waits while a partition is dropped, and grants rights then", async () => {
    await using owner = await database.connect("owner");
    await owner.query("select routing.ensure_partitions('2026-03-01', '2026-04-01')");
    await owner.query("grant select on routing.hijacks to routeql_engine");
    // The lock of `npm run prune` during an exchange of partitions.
    await owner.query(
      `begin; select pg_advisory_xact_lock(${advisoryLocks.partitions}); drop table routing.bgp_updates_202603`,
    );
    const job = database.migrate();
    await expect
      .poll(() => waitingFor("locktype in ('advisory', 'transactionid')"), { timeout: 60_000 })
      .toHaveLength(1);
    await owner.query("commit");
    expect(await job).toContain("set the rights of each role");
    expect(await partitionsOf(database)).toEqual(["bgp_updates_202604"]);
  });

  test("the server soon closes connections of machines that disappeared", async () => {
    const asked = roles.map(
      async (role) => (await rowsOf(database, role, "select current_setting('tcp_keepalives_idle') as idle"))[0],
    );
    const [bootstrap, ...others] = await Promise.all(asked);
    expect(others).toEqual(others.map(() => ({ idle: "60" })));
    expect(bootstrap).not.toEqual({ idle: "60" });
  });
});
