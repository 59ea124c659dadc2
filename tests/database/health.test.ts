import { afterAll, beforeAll, expect, test } from "vitest";
import { describeDatabase } from "@routeql/infra/services/database";
import type { HealthCheck } from "@routeql/infra/description/service";
import { DatabaseContainer, type StartedDatabaseContainer } from "../harness/containers/database-container.ts";
import { preparedDatabaseImage } from "../harness/containers/database-image.ts";

const { health, alive } = describeDatabase({ target: "kubernetes", enginePoolSize: 4 });
let database: StartedDatabaseContainer;

beforeAll(async () => {
  database = await new DatabaseContainer(await preparedDatabaseImage()).withoutMigrations().start();
}, 180_000);

afterAll(async () => {
  await database?.stop();
});

async function passes(check: HealthCheck | undefined): Promise<boolean> {
  if (check?.kind !== "command") throw new Error("The database is not checked by a command.");
  return (await database.exec([...check.command])).exitCode === 0;
}

test("a database that answers is ready and alive", async () => {
  expect([await passes(health), await passes(alive)]).toEqual([true, true]);
});

test(
  "a database that rejects connections is not ready, and is not restarted for that",
  { timeout: 60_000 },
  async () => {
    await using client = await database.connect("bootstrap");
    await client.query("select 1");
    // Keeps open connections, so that the server continues to reject new ones, as during a recovery.
    const { exitCode } = await database.exec(["sh", "-c", 'pg_ctl stop --pgdata="$PGDATA" --mode=smart --no-wait']);
    expect(exitCode).toBe(0);
    await expect.poll(() => passes(health), { timeout: 30_000 }).toBe(false);
    expect(await passes(alive)).toBe(true);
    // A server that does not answer.
    const nowhere = (alive as { command: readonly string[] }).command.map((word) =>
      word.replace("127.0.0.1", "127.0.0.1 --port=1"),
    );
    expect(await passes({ kind: "command", command: nowhere })).toBe(false);
  },
);
