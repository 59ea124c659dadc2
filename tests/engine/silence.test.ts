import { afterAll, beforeAll, expect, test } from "vitest";
import { createEngine, type Engine } from "@routeql/engine";
import { startDatabase, type StartedDatabaseContainer } from "../harness/containers/database-container.ts";
import { ToxicProxy } from "../harness/containers/toxic-proxy.ts";
import { sessionOf } from "./support/routing.ts";

let database: StartedDatabaseContainer;
let proxy: ToxicProxy;
let engine: Engine;

beforeAll(async () => {
  database = await startDatabase();
  const { hostname, port } = new URL(database.getConnectionUri("engine"));
  proxy = await ToxicProxy.to(hostname, Number(port));
  engine = await startEngine(1);
});

async function startEngine(poolSize: number): Promise<Engine & AsyncDisposable> {
  const started = await createEngine({
    metadata: "hasura-metadata",
    environment: { ROUTEQL_DATABASE_URL: proxy.through(database.getConnectionUri("engine")) },
    // Longer than the catalog takes on a busy machine.
    statementTimeout: 3_000,
    poolSize,
  });
  return Object.assign(started, { [Symbol.asyncDispose]: () => started.close() });
}

afterAll(async () => {
  await engine.close();
  await proxy[Symbol.asyncDispose]();
  await database.stop();
});

test("closes the connection of a silent database and serves with a new one", async () => {
  const ask = () => engine.execute({ query: "{ view_hijacks { key } }" }, sessionOf("admin"));
  expect(await ask()).toBe('{"data":{"view_hijacks":[]}}');
  proxy.set("hang");
  await expect(ask()).rejects.toMatchObject({ code: "postgres-error", status: 503 });
  await expect.poll(() => engine.statistics().pool.total, { timeout: 20_000 }).toBe(0);
  proxy.set("pass");
  expect(await ask()).toBe('{"data":{"view_hijacks":[]}}');
}, 90_000);

test("a query that waits for a connection to a silent database gets the same answer", async () => {
  await using started = await startEngine(2);
  const ask = () => started.execute({ query: "{ view_hijacks { key } }" }, sessionOf("admin"));
  await Promise.all([ask(), ask()]);
  proxy.set("hang");
  const answers = await Promise.allSettled([ask(), ask(), ask(), ask()]);
  proxy.set("pass");
  for (const { status, reason } of answers.map((answer) => answer as PromiseRejectedResult))
    expect({ status, reason: reason as unknown }).toMatchObject({
      status: "rejected",
      reason: { code: "postgres-error", status: 503, reason: "database" },
    });
}, 90_000);
