import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "graphql-ws";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WebSocket } from "ws";
import { adminSecret, type EngineProcess, startEngineProcess } from "./support/engine-process.ts";
import { type StartedDatabaseContainer, startDatabase } from "../harness/containers/database-container.ts";

/** Maximum time in milliseconds after an acknowledged change of one engine until both serve it. */
const bound = 15_000;
const releases = 6;
/** A viewer's row limits on hijacks, one for each release. */
const limitOf = (release: number): number => (release % 2 === 0 ? 20 : 10);

let database: StartedDatabaseContainer;
let engines: readonly EngineProcess[];

beforeAll(async () => {
  database = await startDatabase();
  await using owner = await database.connect("owner");
  await owner.query(`insert into routing.hijacks (key, type, prefix, hijack_as, time_detected, time_last, active, ignored, comment, num_peers_seen)
    select 'h' || n, 'E|0|-|-', '192.0.2.0/24', 64500, '2026-01-01', '2026-01-02', true, false, 'private', n from generate_series(1, 40) as n`);
  const environment = {
    ROUTEQL_DATABASE_URL: database.getConnectionUri("engine"),
    HASURA_GRAPHQL_METADATA_DATABASE_URL: database.getConnectionUri("metadata"),
    HASURA_GRAPHQL_SCHEMA_SYNC_POLL_INTERVAL: "1000",
    ENGINE_METADATA_DIRECTORY: "hasura-metadata",
  };
  // In sequence: the first one stores the directory's metadata.
  engines = [await startEngineProcess(environment), await startEngineProcess(environment)];
});

afterAll(async () => {
  for (const engine of engines ?? []) await engine[Symbol.asyncDispose]();
  await database?.stop();
});

interface Answer {
  readonly data?: { readonly view_hijacks: readonly object[] };
  readonly errors?: unknown;
}

/** The reply to a viewer. */
const rowsOf = (engine: EngineProcess): Promise<Answer> =>
  engine.ask("{ view_hijacks(order_by: {key: asc}) { key prefix } }", "viewer");

/** A client that sends a viewer's requests, one after another. */
class Viewer {
  readonly problems: string[] = [];
  answered = 0;
  /** Number of rows in the last answer. */
  last = 0;
  private readonly engine: EngineProcess;
  private readonly until: AbortSignal;
  readonly done: Promise<void>;

  constructor(engine: EngineProcess, until: AbortSignal) {
    this.engine = engine;
    this.until = until;
    this.done = this.work();
  }

  private async work(): Promise<void> {
    while (!this.until.aborted) {
      const { data, errors } = await rowsOf(this.engine).catch((error: unknown): Answer => ({ errors: String(error) }));
      this.last = data?.view_hijacks.length ?? 0;
      this.answered += 1;
      if (![limitOf(0), limitOf(1)].includes(this.last))
        this.problems.push(JSON.stringify(errors ?? data).slice(0, 300));
      await sleep(10);
    }
  }
}

/** A client that subscribes, and subscribes again after its socket is closed. */
function subscriber(engine: EngineProcess): {
  readonly lengths: number[];
  readonly problems: string[];
  readonly closings: number[];
  readonly end: () => Promise<void>;
} {
  const [lengths, problems, closings]: [number[], string[], number[]] = [[], [], []];
  const client = createClient({
    url: `${engine.url.replace("http", "ws")}/v1/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { headers: { "x-hasura-admin-secret": adminSecret, "x-hasura-role": "viewer" } },
    retryAttempts: Infinity,
    retryWait: () => sleep(50),
    shouldRetry: () => true,
  });
  client.on("closed", (event) => closings.push((event as { code: number }).code));
  client.subscribe<Answer["data"]>(
    { query: "subscription { view_hijacks(order_by: {key: asc}) { key } }" },
    {
      next: ({ data, errors }) =>
        errors === undefined && data ? lengths.push(data.view_hijacks.length) : problems.push(JSON.stringify(errors)),
      error: (error) => problems.push(String(error)),
      complete: () => undefined,
    },
  );
  return { lengths, problems, closings, end: async () => client.dispose() };
}

interface Exported {
  readonly sources: {
    readonly tables: {
      readonly table: { readonly name: string };
      readonly select_permissions?: { readonly role: string; readonly permission: { limit?: number } }[];
    }[];
  }[];
}

/** The served metadata with another limit for viewers. */
async function withLimit(limit: number): Promise<Exported> {
  const { body } = await (engines[0] as EngineProcess).metadata({ type: "export_metadata", version: 1, args: {} });
  const metadata = structuredClone(body) as Exported;
  const table = metadata.sources.flatMap(({ tables }) => tables).find((each) => each.table.name === "view_hijacks");
  const permission = table?.select_permissions?.find(({ role }) => role === "viewer")?.permission;
  if (permission === undefined) throw new Error("no permission of a viewer");
  permission.limit = limit;
  return metadata;
}

const replace = async (metadata: object): Promise<number> =>
  (await (engines[0] as EngineProcess).metadata({ type: "replace_metadata", version: 2, args: { metadata } })).status;

test("releases while clients work: no request fails, and sockets reconnect", { timeout: 180_000 }, async () => {
  expect(await replace(await withLimit(limitOf(0)))).toBe(200);
  for (const engine of engines)
    await expect
      .poll(async () => (await rowsOf(engine)).data?.view_hijacks.length, { timeout: bound })
      .toBe(limitOf(0));
  const end = new AbortController();
  const viewers = engines.flatMap((engine) => [new Viewer(engine, end.signal), new Viewer(engine, end.signal)]);
  const subscribers = engines.map(subscriber);
  await expect.poll(() => subscribers.every(({ lengths }) => lengths.length > 0)).toBe(true);
  try {
    await using owner = await database.connect("owner");
    for (let release = 1; release <= releases; release += 1) {
      // Like the job `migrate` with a new migration.
      await database.migrate();
      await owner.query(
        `begin; set local lock_timeout = '10s'; alter table routing.hijacks add column release_${release} text; create index on routing.hijacks (release_${release}); commit`,
      );
      if (release === 3)
        expect(
          await replace({
            version: 3,
            sources: [{ name: "default", kind: "postgres", tables: [{ table: "nowhere" }] }],
          }),
        ).toBe(400);
      expect(await replace(await withLimit(limitOf(release)))).toBe(200);
      const seen = subscribers.map(({ lengths }) => lengths.length);
      await expect
        .poll(() => viewers.map(({ last }) => last), { timeout: bound })
        .toEqual(viewers.map(() => limitOf(release)));
      await expect
        .poll(
          () =>
            subscribers.map(
              ({ lengths }, index) =>
                lengths.slice(seen[index]).includes(limitOf(release)) || lengths.at(-1) === limitOf(release),
            ),
          { timeout: bound },
        )
        .toEqual([true, true]);
    }
  } finally {
    end.abort();
    await Promise.all(viewers.map(({ done }) => done));
    await Promise.all(subscribers.map((each) => each.end()));
  }
  expect(viewers.flatMap(({ problems }) => problems)).toEqual([]);
  expect(subscribers.flatMap(({ problems }) => problems)).toEqual([]);
  for (const { closings } of subscribers)
    expect(closings.filter((code) => code === 1012).length).toBeGreaterThanOrEqual(releases);
  const answered = viewers.reduce((sum, viewer) => sum + viewer.answered, 0);
  expect(answered).toBeGreaterThan(100);
});
