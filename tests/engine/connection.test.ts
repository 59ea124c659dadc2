import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { TLSSocket } from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { textOf } from "@routeql/engine/postgres/bytes";
import { Connection, type Row } from "@routeql/engine/postgres/connection";
import type { Lease } from "@routeql/engine/cost/slots";
import { ConnectionPool } from "@routeql/engine/postgres/connection-pool";
import { sql, trusted } from "@routeql/engine/sql";
import { makeCertificate } from "../harness/certificate.ts";
import { type StartedDatabaseContainer, startDatabase } from "../harness/containers/database-container.ts";

let database: StartedDatabaseContainer;
const lost: string[] = [];

beforeAll(async () => {
  database = await startDatabase();
});

afterAll(async () => {
  await database.stop();
});

const open = (): Promise<Connection> =>
  Connection.open({ connectionString: database.getConnectionUri("engine") }, (_connection, error) =>
    lost.push(error.message),
  );

const leased: Lease = { client: "one" };

function pool(size: number, options: { idleTimeout?: number } = {}): ConnectionPool & AsyncDisposable {
  const connections = new ConnectionPool({
    connection: { connectionString: database.getConnectionUri("engine") },
    size,
    idleTimeout: 60_000,
    waitTimeout: 20_000,
    onLost: (message) => lost.push(message),
    ...options,
  });
  return Object.assign(connections, { [Symbol.asyncDispose]: () => connections.end() });
}

const texts = (rows: readonly Row[]): (string | null)[][] =>
  rows.map((row) => row.map((value) => (value === null ? null : textOf(value))));
const plain = (text: string, ...values: (string | null)[]) => ({ text: trusted(text), name: undefined, values });
const named = (name: string, text: string, ...values: string[]) => ({ text: trusted(text), name, values });

test("values arrive as Postgres prints them, null as null", async () => {
  const connection = await open();
  const rows = await connection.query(
    plain("select $1::text, $2::text, 0.10::numeric, true, array[1, null] from generate_series(1, 2)", "ä€🌍", null),
  );
  expect(texts(rows)).toEqual(Array.from({ length: 2 }, () => ["ä€🌍", null, "0.10", "t", "{1,NULL}"]));
  await connection.close();
});

test("a value of megabytes arrives whole, alone and among others", async () => {
  const connection = await open();
  const text = "repeat('ä', 1500000)";
  const [alone] = texts(await connection.query(plain(`select ${text}`)));
  expect(alone).toEqual(["ä".repeat(1_500_000)]);
  const [among] = texts(await connection.query(plain(`select 'a', ${text}, null, 'z'`)));
  expect(among).toEqual(["a", "ä".repeat(1_500_000), null, "z"]);
  await connection.close();
});

test("values stay unchanged while others are read", async () => {
  const connection = await open();
  const lengths = [1, 9_000, 15_000, 16_000, 70_000, 200_000];
  const columns = lengths.map((length) => `repeat($1, ${length})`);
  const ask = (letter: string) =>
    connection.queryAll([
      plain(`select ${columns.join(", ")}`, letter),
      ...columns.map((column) => plain(`select ${column}`, letter)),
    ]);
  const letters = ["a", "b", "c", "d"];
  const answers = [];
  for (const letter of letters) answers.push(await ask(letter));
  for (const [index, { finished }] of answers.entries()) {
    const expected = lengths.map((length) => letters[index]?.repeat(length));
    expect(finished.map(texts)).toEqual([[expected], ...expected.map((value) => [[value]])]);
  }
  await connection.close();
});

test("a failed statement reports the reason, and the connection stays usable", async () => {
  const connection = await open();
  await expect(connection.query(plain("select $1::int", "x"))).rejects.toMatchObject({ code: "22P02" });
  await expect(connection.query(named("bad", "select nonsense"))).rejects.toMatchObject({ code: "42703" });
  await expect(connection.command(sql`nonsense`)).rejects.toMatchObject({ code: "42601" });
  // The name of a failed preparation is free.
  expect(texts(await connection.query(named("bad", "select 1")))).toEqual([["1"]]);
  await connection.close();
});

test("keeps a bounded number of prepared statements, each reusable", async () => {
  const connection = await open();
  for (let index = 0; index < 260; index += 1) await connection.query(named(`s${index}`, `select ${index}`));
  expect(texts(await connection.query(named("s0", "select 0")))).toEqual([["0"]]);
  const [count] = texts(await connection.query(plain("select count(*) from pg_prepared_statements where name <> ''")));
  expect(count).toEqual(["250"]);
  await connection.close();
});

test("answers statements of one turn together, up to the first failure", async () => {
  const connection = await open();
  const divide = (value: string) => named("divide", "select (12 / $1::int)::text", value);
  const whole = await connection.queryAll([
    divide("3"),
    plain("select 1 where false"),
    named("x", "select 'x'"),
    divide("4"),
  ]);
  expect(whole.finished.map(texts)).toEqual([[["4"]], [], [["x"]], [["3"]]]);
  const { finished, error } = await connection.queryAll([divide("6"), divide("0"), named("y", "select 'y'")]);
  expect(finished.map(texts)).toEqual([[["2"]]]);
  expect(error).toMatchObject({ code: "22012" });
  // Skipped statements are not prepared either.
  expect(texts(await connection.query(named("y", "select 'z'")))).toEqual([["z"]]);
  expect(
    texts(await connection.query(plain("select name from pg_prepared_statements where name <> '' order by 1"))),
  ).toEqual([["divide"], ["x"], ["y"]]);
  await connection.close();
});

test("statements of one turn stay within the bound of prepared ones", async () => {
  const connection = await open();
  const statements = Array.from({ length: 260 }, (_, index) => ({
    text: trusted(`select ${index}`),
    name: `s${index}`,
    values: [],
  }));
  for (let index = 0; index < statements.length; index += 4)
    await connection.queryAll(statements.slice(index, index + 4));
  const [count] = texts(await connection.query(plain("select count(*) from pg_prepared_statements where name <> ''")));
  expect(count).toEqual(["250"]);
  await connection.close();
});

test("a statement whose closing was skipped by a failure stays usable", async () => {
  const connection = await open();
  for (let index = 0; index < 250; index += 1) await connection.query(named(`s${index}`, `select ${index}`));
  const { error } = await connection.queryAll([plain("select 1 / 0"), named("new", "select 'new'")]);
  expect(error).toMatchObject({ code: "22012" });
  for (const name of ["s0", "s1"])
    expect(texts(await connection.query(named(name, `select ${name.slice(1)}`)))).toEqual([[name.slice(1)]]);
  expect(texts(await connection.query(named("new", "select 'new'")))).toEqual([["new"]]);
  const [count] = texts(await connection.query(plain("select count(*) from pg_prepared_statements where name <> ''")));
  expect(count).toEqual(["250"]);
  await connection.close();
});

test("only one statement runs at a time", async () => {
  const connection = await open();
  const first = connection.query(plain("select pg_sleep(0.05)::text"));
  await expect(connection.query(plain("select 1"))).rejects.toThrow("busy");
  expect(texts(await first)).toEqual([[""]]);
  await connection.close();
});

test("a connection that the server closes rejects its statement with the server's reason", async () => {
  const connection = await open();
  await using bootstrap = await database.connect("bootstrap");
  const running = expect(connection.query(plain("select pg_sleep(30)"))).rejects.toMatchObject({ code: "57P01" });
  await bootstrap.query("select pg_terminate_backend($1)", [connection.processId]);
  await running;
  expect(connection.isUsable).toBe(false);
  await expect(connection.query(plain("select 1"))).rejects.toThrow("terminated");
  expect(lost.length).toBeGreaterThan(0);
});

test("rows arrive over TLS too, also long ones", async () => {
  const certificate = await makeCertificate();
  const server = createServer((socket) => {
    // The client first requests TLS in a separate message; the server behind this proxy uses plain text.
    socket.once("data", () => {
      socket.write("S");
      const secured = new TLSSocket(socket, {
        isServer: true,
        key: certificate.privateKey,
        cert: certificate.certificate,
      });
      const behind = connect(database.getPort(), database.getHost());
      secured.on("error", () => behind.destroy()).pipe(behind);
      behind.on("error", () => secured.destroy()).pipe(secured);
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(database.getConnectionUri("engine"));
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const connection = await Connection.open(
    { connectionString: url.href, ssl: { ca: certificate.certificate, servername: "localhost" } },
    () => undefined,
  );
  const [row] = texts(await connection.query(plain("select repeat('ä', 100000), 'z'")));
  expect(row).toEqual(["ä".repeat(100_000), "z"]);
  await connection.close();
  server.close();
});

test("a connection in a transaction, also a failed one, is given to no other client", async () => {
  await using connections = pool(1);
  const open = await connections.take(leased);
  await open.command(sql`BEGIN`);
  connections.give(open, leased);
  const failed = await connections.take(leased);
  expect(failed.processId).not.toBe(open.processId);
  await failed.command(sql`BEGIN`);
  await expect(failed.query(plain("select 1 / 0"))).rejects.toMatchObject({ code: "22012" });
  connections.give(failed, leased);
  const next = await connections.take(leased);
  expect(texts(await next.query(plain("select 1")))).toEqual([["1"]]);
  await next.command(sql`BEGIN`);
  await next.command(sql`COMMIT`);
  connections.give(next, leased);
  const same = await connections.take(leased);
  expect(same.processId).toBe(next.processId);
  connections.give(same, leased);
});

test("a waiting client gets the slot of a lost connection", async () => {
  await using connections = pool(1);
  const taken = await connections.take(leased);
  const waiting = (async () => connections.take(leased))();
  await using bootstrap = await database.connect("bootstrap");
  await expect(
    Promise.all([
      taken.query(plain("select pg_sleep(30)")),
      bootstrap.query("select pg_terminate_backend($1)", [taken.processId]),
    ]),
  ).rejects.toMatchObject({ code: "57P01" });
  connections.give(taken, leased);
  const next = await waiting;
  expect(texts(await next.query(plain("select 1")))).toEqual([["1"]]);
  connections.give(next, leased);
});

test("an idle connection that the server closes leaves the pool", async () => {
  await using connections = pool(2);
  const taken = await connections.take(leased);
  connections.give(taken, leased);
  await using bootstrap = await database.connect("bootstrap");
  await bootstrap.query("select pg_terminate_backend($1)", [taken.processId]);
  await expect.poll(() => connections.statistics.total).toBe(0);
});

test("closes idle connections after their time limit", async () => {
  await using connections = pool(2, { idleTimeout: 30 });
  connections.give(await connections.take(leased), leased);
  await expect.poll(() => connections.statistics.total).toBe(0);
});

test("an ended pool serves waiting clients, keeps no connection, and then ends", async () => {
  const connections = pool(1);
  const taken = await connections.take(leased);
  const waiting = (async () => connections.take(leased))();
  const ended = connections.end();
  const late = (async () => connections.take(leased))();
  connections.give(taken, leased);
  connections.give(await waiting, leased);
  connections.give(await late, leased);
  await ended;
  expect(connections.statistics).toEqual({ total: 0, idle: 0, waiting: 0 });
  connections.give(await connections.take(leased), leased);
  await expect.poll(() => connections.statistics).toEqual({ total: 0, idle: 0, waiting: 0 });
});

test("an unused connection does not keep the process alive", async () => {
  const program = `
    import { ConnectionPool } from "./engine/src/postgres/connection-pool.ts";
    const pool = new ConnectionPool({ connection: { connectionString: process.env.URI }, size: 1, idleTimeout: 60_000, waitTimeout: 1_000, onLost: () => {} });
    const leased = { client: "one" };
    pool.give(await pool.take(leased), leased);`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    env: { ...process.env, URI: database.getConnectionUri("engine") },
    stdio: "inherit",
  });
  const [code] = (await once(child, "exit")) as [number | null];
  expect(code).toBe(0);
});

test("a result over the limit closes the connection with a clear error", async () => {
  const connection = await Connection.open(
    { connectionString: database.getConnectionUri("engine") },
    (_connection, error) => lost.push(error.message),
    1_000_000,
  );
  expect(await connection.query(plain("SELECT repeat('x', 900000)"))).toHaveLength(1);
  expect(await connection.query(plain("SELECT repeat('x', 900000)"))).toHaveLength(1);
  for (const text of ["SELECT repeat('x', 200000000)", "SELECT generate_series(1, 10000000)::text"]) {
    const other = await Connection.open(
      { connectionString: database.getConnectionUri("engine") },
      (_connection, error) => lost.push(error.message),
      1_000_000,
    );
    await expect(other.query(plain(text))).rejects.toThrow("the answer is larger than the limit of 1000000 bytes");
    expect(other.isUsable).toBe(false);
  }
  await connection.close();
});
