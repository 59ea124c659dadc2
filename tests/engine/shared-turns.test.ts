import { afterAll, beforeAll, expect, test } from "vitest";
import { Database, type SharingLimits } from "@routeql/engine/execution/database/database";
import { textOf } from "@routeql/engine/postgres/bytes";
import { trusted } from "@routeql/engine/sql";
import { startDatabase, type StartedDatabaseContainer } from "../harness/containers/database-container.ts";

let container: StartedDatabaseContainer;

beforeAll(async () => {
  container = await startDatabase();
  await using owner = await container.connect("owner");
  await owner.query(
    "create table public.shared (id int); insert into public.shared values (1); grant select on public.shared to public",
  );
  // lock_timeout would not end this wait.
  await owner.query(`create function public.pass_gate(gate bigint) returns text language plpgsql security definer as $$
    begin
      while not pg_try_advisory_xact_lock_shared(gate) loop perform pg_sleep(0.02); end loop;
      return 'passed';
    end $$;
    grant execute on function public.pass_gate to public`);
  await using bootstrap = await container.connect("bootstrap");
  await bootstrap.query("grant execute on function pg_catalog.pg_terminate_backend(integer, bigint) to routeql_engine");
});

afterAll(async () => {
  await container.stop();
});

/** Any known statement counts as quick, and shared turns have no time limit, so that the tests do not depend on the machine's speed. */
const patient: SharingLimits = { quick: Infinity, patience: 600_000 };
const impatient: SharingLimits = { quick: Infinity, patience: 50 };

/** A gate that blocks statements until `open`. */
async function closedGate(): Promise<{ readonly key: string; open(): Promise<void> } & AsyncDisposable> {
  const key = String(Math.floor(Math.random() * 2 ** 31));
  const keeper = await container.connect("bootstrap");
  await keeper.query("select pg_advisory_lock($1)", [key]);
  let opening: Promise<void> | undefined;
  const open = (): Promise<void> => (opening ??= keeper.end());
  return { key, open, [Symbol.asyncDispose]: open };
}

/** Resolves once the expected number of statements with this text runs. */
async function untilRunning(text: string, expected: number, longerThan = "0 ms"): Promise<void> {
  await using admin = await container.connect("bootstrap");
  const running =
    "select count(*)::int as running from pg_stat_activity where state = 'active' and query = $1 and xact_start < clock_timestamp() - $2::interval";
  await expect
    .poll(async () => (await admin.query(running, [text, longerThan])).rows, { timeout: 60_000 })
    .toEqual([{ running: expected }]);
}

interface TestDatabase extends AsyncDisposable {
  /** Runs a statement that may share a turn. */
  ask(text: string, ...values: string[]): Promise<string | null | undefined>;
  askFor(signal: AbortSignal, text: string, ...values: string[]): Promise<string | null | undefined>;
  /** Takes all connections, so that new statements wait, and returns a function that releases them. */
  holdConnections(): Promise<() => Promise<void>>;
  readonly database: Database;
}

/** Starts with these statements already known. */
async function start(
  sharing: SharingLimits,
  poolSize: number,
  known: readonly [text: string, ...values: string[]][],
  statementTimeout = 60_000,
): Promise<TestDatabase> {
  const database = new Database({
    connection: { connectionString: container.getConnectionUri("engine") },
    poolSize,
    statementTimeout,
    idleTimeout: 60_000,
    onConnectionLost: () => undefined,
    sharing,
  });
  const run = async (signal: AbortSignal | undefined, text: string, values: string[]) => {
    const [rows] = await database.runAll([{ text: trusted(text), values, mayShare: true }], { signal });
    const value = rows?.[0]?.[0];
    return value === null || value === undefined ? value : textOf(value);
  };
  const gates = new AsyncDisposableStack();
  for (const [text, ...values] of known) for (let times = 0; times < 2; times += 1) await run(undefined, text, values);
  return {
    database,
    ask: (text, ...values) => run(undefined, text, values),
    askFor: (signal, text, ...values) => run(signal, text, values),
    async holdConnections() {
      const gate = gates.use(await closedGate());
      const text = `select public.pass_gate(${gate.key})`;
      const held = Array.from({ length: poolSize }, () => database.run({ text: trusted(text), values: [] }));
      await untilRunning(text, poolSize);
      return async () => {
        await gate.open();
        await Promise.all(held);
      };
    },
    async [Symbol.asyncDispose]() {
      await gates[Symbol.asyncDispose]();
      await database.close();
    },
  };
}

const echo = "select $1::text";
const divide = "select (12 / $1::int)::text";
const beginning = "select $1::text || now()::text";
const pass = "select public.pass_gate($1)";
/** A gate that stays open. */
const free = "-1";
const sleep = "select pg_sleep($1::float)::text";

test("batches up to four quick statements, and each gets its own rows", async () => {
  await using shared = await start(patient, 1, [
    [beginning, ""],
    [echo, ""],
  ]);
  const release = await shared.holdConnections();
  const times = Array.from({ length: 5 }, () => shared.ask(beginning, ""));
  const echoes = ["a", "ä€", "c"].map((value) => shared.ask(echo, value));
  expect(shared.database.statistics).toEqual({ total: 1, idle: 0, waiting: 8 });
  await release();
  const [first, ...others] = await Promise.all(times);
  // One transaction has one time.
  expect(others.map((time) => time === first)).toEqual([true, true, true, false]);
  expect(await Promise.all(echoes)).toEqual(["a", "ä€", "c"]);
  expect(shared.database.statistics).toEqual({ total: 1, idle: 1, waiting: 0 });
});

test("runs an unknown or unshareable statement alone", async () => {
  await using shared = await start(patient, 1, [[beginning, ""]]);
  const release = await shared.holdConnections();
  const unknown = ["a", "b"].map(() => shared.ask(`${beginning} || ''`, ""));
  const unshared = ["a", "b"].map(() => shared.database.run({ text: trusted(beginning), values: [""] }));
  await release();
  const times = [...(await Promise.all(unknown)), ...(await Promise.all(unshared)).map(([row]) => row?.[0])];
  expect(new Set(times).size).toBe(4);
});

test("a failing statement fails alone, with its own reason", async () => {
  await using shared = await start(patient, 1, [
    [echo, ""],
    [divide, "1"],
  ]);
  const release = await shared.holdConnections();
  const before = shared.ask(echo, "before");
  const failing = expect(shared.ask(divide, "0")).rejects.toMatchObject({
    code: "data-exception",
    message: "division by zero",
  });
  const after = [shared.ask(echo, "after"), shared.ask(divide, "3")];
  await release();
  await failing;
  expect(await Promise.all([before, ...after])).toEqual(["before", "after", "4"]);
});

test("a stuck statement delays no other and meets the statement timeout", async () => {
  await using shared = await start(
    impatient,
    2,
    [
      [echo, ""],
      [pass, free],
    ],
    10_000,
  );
  await using gate = await closedGate();
  const release = await shared.holdConnections();
  let isStuck = true;
  const before = shared.ask(echo, "before");
  const stuck = expect(
    shared.ask(pass, gate.key).finally(() => {
      isStuck = false;
    }),
  ).rejects.toMatchObject({ code: "timeout" });
  const after = shared.ask(echo, "after");
  await release();
  expect(await Promise.all([before, after])).toEqual(["before", "after"]);
  expect(isStuck).toBe(true);
  await stuck;
}, 60_000);

test("a stuck statement that resumes in time is answered, and so are those behind it", async () => {
  await using shared = await start(impatient, 1, [
    [echo, ""],
    [pass, free],
  ]);
  await using gate = await closedGate();
  const release = await shared.holdConnections();
  const stuck = shared.ask(pass, gate.key);
  const behind = shared.ask(echo, "behind");
  await release();
  await untilRunning(pass, 1, "400 ms"); // Longer than a turn's limit, so it runs alone by now.
  await gate.open();
  expect(await Promise.all([stuck, behind])).toEqual(["passed", "behind"]);
});

test("a disconnected client disturbs no other, and its statement ends in Postgres", async () => {
  await using shared = await start({ quick: Infinity, patience: 2_000 }, 1, [
    [echo, ""],
    [pass, free],
  ]);
  await using gate = await closedGate();
  const release = await shared.holdConnections();
  const leaving = new AbortController();
  const left = expect(shared.askFor(leaving.signal, pass, gate.key)).rejects.toThrow("left");
  const staying = [shared.ask(echo, "a"), shared.ask(echo, "b")];
  await release();
  await untilRunning(pass, 1);
  leaving.abort(new Error("left"));
  await left;
  expect(await Promise.all(staying)).toEqual(["a", "b"]);
  await untilRunning(pass, 0);
  expect(shared.database.statistics).toEqual({ total: 1, idle: 1, waiting: 0 });
});

test("a queued statement of a client that left does not run", async () => {
  await using shared = await start(patient, 1, [
    [echo, ""],
    [sleep, "0"],
  ]);
  const release = await shared.holdConnections();
  const leaving = new AbortController();
  const left = expect(shared.askFor(leaving.signal, sleep, "4000")).rejects.toThrow("left");
  const staying = shared.ask(echo, "a");
  leaving.abort(new Error("left"));
  await left;
  await release();
  expect(await staying).toBe("a");
});

test("a lost connection fails the statements that wait for it, and the next one works", async () => {
  const terminate = "select pg_terminate_backend(case when $1 = 'now' then pg_backend_pid() else 0 end)::text";
  await using shared = await start(patient, 1, [
    [echo, ""],
    [terminate, "never"],
  ]);
  const release = await shared.holdConnections();
  const failing = [shared.ask(terminate, "now"), shared.ask(echo, "a")].map((asked) =>
    expect(asked).rejects.toMatchObject({ code: "postgres-error", status: 503 }),
  );
  await release();
  await Promise.all(failing);
  expect(await shared.ask(echo, "b")).toBe("b");
});

test("an outdated prepared statement costs the connection, not the answer", async () => {
  const all = "select * from public.shared";
  await using shared = await start(patient, 1, [[echo, ""], [all]]);
  await using owner = await container.connect("owner");
  await owner.query("alter table public.shared add column note text");
  const release = await shared.holdConnections();
  const asked = [shared.ask(all), shared.ask(echo, "a")];
  await release();
  expect(await Promise.all(asked)).toEqual(["1", "a"]);
});

test("a blocked queue times out for all waiting statements", async () => {
  await using shared = await start(patient, 1, [[echo, ""]]);
  const release = await shared.holdConnections();
  const waiting = ["a", "b"].map((value) => expect(shared.ask(echo, value)).rejects.toMatchObject({ status: 503 }));
  await Promise.all(waiting);
  expect(shared.database.statistics.waiting).toBe(0);
  await release();
}, 60_000);

test("answers statements from before close, and rejects later ones", async () => {
  await using started = await start(patient, 1, [["select id::text from public.shared"]]);
  const asked = ["select id::text from public.shared", "select id::text from public.shared", "select 'alone'"].map(
    (text) => started.ask(text),
  );
  const closing = started.database.close();
  await expect(started.ask("select id::text from public.shared")).rejects.toMatchObject({ code: "postgres-error" });
  expect(await Promise.all(asked)).toEqual(["1", "1", "alone"]);
  await closing;
});
