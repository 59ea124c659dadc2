import { afterAll, beforeAll, expect, test } from "vitest";
import { Database, type Asker } from "@routeql/engine/execution/database/database";
import { textOf } from "@routeql/engine/postgres/bytes";
import { trusted } from "@routeql/engine/sql";
import { DatabaseContainer, type StartedDatabaseContainer } from "../harness/containers/database-container.ts";
import { preparedDatabaseImage } from "../harness/containers/database-image.ts";

let container: StartedDatabaseContainer;

beforeAll(async () => {
  // As in a deployment, each Postgres process has a memory limit.
  container = await new DatabaseContainer(await preparedDatabaseImage())
    .withEnvironment({ POSTGRES_PROCESS_MEGABYTES: "200" })
    .start();
});

afterAll(async () => container.stop());

interface TestDatabase extends AsyncDisposable {
  ask(text: string, asker?: Asker): Promise<string | null | undefined>;
}

function start(poolSize: number): TestDatabase {
  const database = new Database({
    connection: { connectionString: container.getConnectionUri("engine") },
    poolSize,
    statementTimeout: 60_000,
    idleTimeout: 60_000,
    onConnectionLost: () => undefined,
  });
  return {
    async ask(text, asker) {
      const [rows] = await database.runAll([{ text: trusted(text), values: [], mayShare: true }], asker);
      const value = rows?.[0]?.[0];
      return value === null || value === undefined ? value : textOf(value);
    },
    [Symbol.asyncDispose]: () => database.close(),
  };
}

let statements = 0;
/** Sleeps; the text is unique. */
const sleep = (seconds: number): string => `select pg_sleep(${seconds})::text, ${(statements += 1)}`;
/** A quick statement; the text is unique. */
const quick = (): string => `select 'quick', ${(statements += 1)}`;

/** Durations of small new statements of another client in milliseconds, in sequence during the work. */
async function bystander(database: TestDatabase, work: Promise<unknown>): Promise<number[]> {
  const over = new AbortController();
  const ended = work.finally(() => over.abort());
  const times: number[] = [];
  while (!over.signal.aborted) {
    const begin = performance.now();
    await database.ask(quick(), { client: "bystander" });
    times.push(performance.now() - begin);
    await new Promise((next) => setTimeout(next, 50));
  }
  await ended;
  return times;
}

const many = (count: number, ask: (index: number) => Promise<unknown>): Promise<PromiseSettledResult<unknown>[]> =>
  Promise.allSettled(Array.from({ length: count }, (_, index) => ask(index)));

test("one client with many slow statements does not delay another", async () => {
  await using database = start(4);
  const times = await bystander(
    database,
    many(6, () => database.ask(sleep(1.5), { client: "hostile" })),
  );
  expect(times.length).toBeGreaterThan(10);
  expect(Math.max(...times)).toBeLessThan(500);
});

test("ten clients with slow statements delay another only briefly, without errors", async () => {
  await using database = start(4);
  const times = await bystander(
    database,
    many(40, (index) => database.ask(sleep(3), { client: `hostile ${index % 10}` })),
  );
  expect(times.length).toBeGreaterThan(3);
  expect(Math.max(...times)).toBeLessThan(3_000);
});

test("a preempted slow statement is answered in the end", async () => {
  await using database = start(3);
  const slow = many(6, (index) => database.ask(sleep(1), { client: `slow ${index % 3}` }));
  const [times, results] = await Promise.all([bystander(database, slow), slow]);
  expect(results.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => "fulfilled"));
  expect(Math.max(...times)).toBeLessThan(2_000);
});

test("few statements run for long at once, also while no other client waits", async () => {
  await using database = start(8);
  const slow = Promise.all(
    Array.from({ length: 6 }, (_, index) => database.ask(sleep(2), { client: `slow ${index % 3}` })),
  );
  const running = async (): Promise<number> =>
    Number(
      await database.ask(
        `select count(*)::text from pg_stat_activity where state = 'active' and query like 'select pg_sleep%' and ${(statements += 1)} > 0`,
      ),
    );
  // First all six run, until each has taken 400 ms. A look before that could meet two that are the first to start.
  await new Promise((next) => setTimeout(next, 1_000));
  await expect.poll(running, { timeout: 10_000 }).toBe(2);
  const counts: number[] = [];
  for (let look = 0; look < 10; look += 1) {
    counts.push(await running());
    await new Promise((next) => setTimeout(next, 100));
  }
  expect(Math.max(...counts)).toBeLessThanOrEqual(2);
  expect(await slow).toHaveLength(6);
});

test("a client with its own time limit gets an error when a statement exceeds it", async () => {
  await using database = start(2);
  const begin = performance.now();
  await expect(database.ask(sleep(30), { client: "viewer", timeout: 1_000 })).rejects.toMatchObject({
    code: "timeout",
  });
  expect(performance.now() - begin).toBeLessThan(4_000);
  expect(await database.ask(quick(), { client: "viewer", timeout: 1_000 })).toBe("quick");
});

test("a connection whose process reached its memory limit is closed", async () => {
  await using database = start(1);
  const process = () => database.ask("select pg_backend_pid()::text");
  const before = await process();
  expect(await process()).toBe(before);
  const greedy =
    "select array_length(array_agg(repeat('x', 1000) || value), 1)::text from generate_series(1, 400000) value";
  await expect(database.ask(greedy)).rejects.toMatchObject({
    code: "unexpected",
    message: expect.stringContaining("memory") as string,
  });
  expect(await process()).not.toBe(before);
});
