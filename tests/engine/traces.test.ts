import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OtlpReceiver } from "@routeql/tracing/testing/otlp-receiver";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startDatabase, type StartedDatabaseContainer } from "../harness/containers/database-container.ts";
import { adminSecret, type EngineProcess, startEngineProcess } from "./support/engine-process.ts";
import { sourceAt } from "./support/source.ts";

let database: StartedDatabaseContainer;
let folder: string;
let metadata: string;

beforeAll(async () => {
  database = await startDatabase();
  await using admin = await database.connect("bootstrap");
  await admin.query(
    "create table public.author (id int primary key, name text); insert into public.author values (1, 'of-the-database')",
  );
  folder = await mkdtemp(join(tmpdir(), "routeql-traces-"));
  metadata = join(folder, "metadata.json");
  await writeFile(
    metadata,
    JSON.stringify({
      version: 3,
      sources: [sourceAt(database.getConnectionUri("bootstrap"), { tables: [{ table: "author" }] })],
    }),
  );
});

afterAll(async () => {
  await rm(folder, { recursive: true });
  await database.stop();
});

const start = (environment: Readonly<Record<string, string>>): Promise<EngineProcess> =>
  startEngineProcess({ ENGINE_METADATA_DIRECTORY: metadata, ...environment });

async function ask(engine: EngineProcess, requestId: string, request: object): Promise<unknown> {
  const headers = { "x-hasura-admin-secret": adminSecret, "x-request-id": requestId };
  const response = await fetch(`${engine.url}/v1/graphql`, { method: "POST", headers, body: JSON.stringify(request) });
  return response.json();
}

const query =
  'query Authors($id: Int) { hidden_alias: author(where: {id: {_eq: $id}}) { id } author(where: {name: {_neq: "hidden-literal"}}) { id } }';

test("a query has a span for each statement, and for its plan if it was not in the cache", async () => {
  await using receiver = await OtlpReceiver.start();
  const ids = ["a".repeat(32), "b".repeat(32)];
  await using engine = await start({ TRACE_ENDPOINT: receiver.url, TRACE_PERCENT: "100" });
  for (const id of ids)
    expect(await ask(engine, id, { query, variables: { id: 987_654_321 } })).toEqual({
      data: { hidden_alias: [], author: [{ id: 1 }] },
    });
  expect(await engine.stop()).toBe(0);
  for (const id of ids) {
    const [request, ...others] = receiver.of(id).filter(({ kind }) => kind === 2);
    expect(others).toEqual([]);
    expect(request).toMatchObject({
      attributes: {
        "graphql.operation.name": "Authors",
        "graphql.operation.type": "query",
        "routeql.root_fields": 2,
        "routeql.role": "admin",
      },
    });
    const steps = receiver.of(id).filter(({ parentSpanId }) => parentSpanId === request?.spanId);
    const planned = id === ids[0] ? ["plan"] : [];
    expect(steps.map(({ name }) => name).toSorted()).toEqual(["SELECT", "SELECT", ...planned]);
    for (const step of steps.filter(({ name }) => name === "SELECT"))
      expect(step).toMatchObject({
        kind: 3,
        failed: false,
        attributes: { "db.system.name": "postgresql", "db.operation.name": "SELECT" },
      });
    expect(engine.log().filter(({ traceId }) => traceId === id)).toHaveLength(1);
  }
  expect(receiver.text).not.toMatch(/987654321|hidden|of-the-database/);
});

test("a failed statement has its SQLSTATE", async () => {
  await using receiver = await OtlpReceiver.start();
  const id = "c".repeat(32);
  await using engine = await start({ TRACE_ENDPOINT: receiver.url, TRACE_PERCENT: "100" });
  expect(await ask(engine, id, { query: '{ author(where: {id: {_eq: "9999999999999"}}) { id } }' })).toMatchObject({
    errors: [{ extensions: { code: "data-exception" } }],
  });
  await engine.stop();
  expect(receiver.of(id).find(({ name }) => name === "SELECT")).toMatchObject({
    failed: true,
    attributes: { "error.type": "22003" },
  });
  expect(receiver.of(id).find(({ kind }) => kind === 2)).toMatchObject({
    failed: true,
    attributes: { "error.type": "data-exception" },
  });
});

test("without a collector requests are answered, and the log has one warning", async () => {
  const receiver = await OtlpReceiver.start();
  const { url } = receiver;
  await receiver[Symbol.asyncDispose]();
  await using engine = await start({ TRACE_ENDPOINT: url, TRACE_PERCENT: "100" });
  for (let index = 0; index < 300; index += 1)
    expect(await ask(engine, "d".repeat(32), { query: "{ author { id } }" })).toEqual({
      data: { author: [{ id: 1 }] },
    });
  await expect
    .poll(() => engine.log().filter(({ level }) => level === "warn"))
    .toEqual([expect.objectContaining({ message: "the collector of traces does not answer; traces are lost" })]);
  expect(await engine.stop()).toBe(0);
  expect(engine.log().filter(({ level }) => level === "warn")).toHaveLength(1);
});

test("without an endpoint no module of the OpenTelemetry SDK is loaded", async () => {
  const modules = join(folder, "modules.mjs");
  await writeFile(
    modules,
    'import { registerHooks } from "node:module";\nregisterHooks({ load(url, context, next) { if (/@opentelemetry.(?!api\\b)|open-telemetry.ts$/.test(url)) throw new Error(url); return next(url, context); } });',
  );
  const NODE_OPTIONS = `--import ${modules}`;
  await using engine = await start({ NODE_OPTIONS });
  expect(await ask(engine, "e".repeat(32), { query: "{ author { id } }" })).toEqual({ data: { author: [{ id: 1 }] } });
  await expect(start({ NODE_OPTIONS, TRACE_ENDPOINT: "http://127.0.0.1:4318" })).rejects.toThrow("open-telemetry.ts");
});
