import { afterAll, beforeAll, expect, test } from "vitest";
import { createEngine, type Engine } from "@routeql/engine";
import { startDatabase, type StartedDatabaseContainer } from "../harness/database-container.ts";
import { ToxicProxy } from "../harness/toxic-proxy.ts";
import { sessionOf } from "./support/routing.ts";

let database: StartedDatabaseContainer;
let proxy: ToxicProxy;
let engine: Engine;

beforeAll(async () => {
  database = await startDatabase();
  const address = database.getConnectionUri("engine");
  const { hostname, port } = new URL(address);
  proxy = await ToxicProxy.to(hostname, Number(port));
  engine = await createEngine({
    metadata: "hasura-metadata",
    environment: { ROUTEQL_DATABASE_URL: proxy.through(address) },
    statementTimeout: 500,
    poolSize: 1,
  });
});

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
