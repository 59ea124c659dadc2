/** Writers change tables while two engines serve the same subscriptions, one by notices and one by polling. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Client as SocketClient, createClient } from "graphql-ws";
import { Client } from "pg";
import { randomBelow } from "../../harness/random.ts";
import { adminSecret, type EngineProcess, startEngineProcess } from "./engine-process.ts";
import { sourceAt } from "./source.ts";

/** URLs of one database by login. */
export interface Logins {
  readonly owner: string;
  readonly engine: string;
  readonly administrator: string;
}

const schema = `
drop schema if exists pushed cascade;
create schema pushed;
create table pushed.item (id int primary key, owner text not null, amount int not null);
create table pushed.part (id int primary key, item int not null references pushed.item on delete cascade, size int not null);
create table pushed.event (id int, kind text not null, primary key (id)) partition by range (id);
create table pushed.event_low partition of pushed.event for values from (0) to (20);
create table pushed.event_high partition of pushed.event for values from (20) to (100000);
create table pushed.thing (id int primary key, name text not null);
create table pushed.special (extra text) inherits (pushed.thing);
create table pushed.line (id int primary key, text text not null);
create view pushed.total as select owner, sum(amount) as amount, count(*) as items from pushed.item group by owner;
create view pushed.grand as select sum(amount) as amount from pushed.total;
create function pushed.large(minimum int) returns setof pushed.item language sql stable begin atomic select * from pushed.item where amount >= minimum; end;
create function pushed.opaque(minimum int) returns setof pushed.item language sql stable as 'select * from pushed.item where amount >= minimum';
create view pushed.recent as select * from pushed.item where now() is not null;
grant usage on schema pushed to routeql_engine;
grant select on all tables in schema pushed to routeql_engine;
grant execute on all functions in schema pushed to routeql_engine;
`;

const relations = ["item", "part", "event", "thing", "special", "line", "total", "grand", "recent"];
const watch = `select routing.watch_tables(
  array(select oid from pg_class where relnamespace = 'pushed'::regnamespace and relkind in ('r', 'p', 'v')),
  array(select oid from pg_proc where pronamespace = 'pushed'::regnamespace))`;

const mine = { owner: { _eq: "X-Hasura-User-Id" } };
const table = (name: string, more: object = {}, filter: object = {}) => ({
  table: { schema: "pushed", name },
  configuration: { custom_name: name },
  select_permissions: [{ role: "client", permission: { columns: "*", filter, allow_aggregations: true } }],
  ...more,
});
const metadataAt = (url: string) => ({
  version: 3,
  sources: [
    sourceAt(url, {
      tables: [
        table(
          "item",
          {
            array_relationships: [
              {
                name: "parts",
                using: { foreign_key_constraint_on: { column: "item", table: { schema: "pushed", name: "part" } } },
              },
            ],
          },
          mine,
        ),
        table(
          "part",
          { object_relationships: [{ name: "of", using: { foreign_key_constraint_on: "item" } }] },
          { of: mine },
        ),
        ...relations.filter((name) => name !== "item" && name !== "part").map((name) => table(name)),
      ],
      functions: ["large", "opaque"].map((name) => ({
        function: { schema: "pushed", name },
        configuration: { custom_name: name },
      })),
    }),
  ],
});

/** Bodies of subscriptions, which are queries too. */
const bodies = [
  "item(order_by: {id: asc}) { id amount parts(order_by: {id: asc}) { size } }",
  "item(order_by: {id: asc}, limit: 3, where: {parts: {size: {_gt: 5}}}) { id }",
  "item_aggregate { aggregate { count sum { amount } } }",
  "part(order_by: {id: asc}) { id of { owner } }",
  "part_by_pk(id: 3) { size }",
  "event(order_by: {id: asc}) { id kind }",
  "event_aggregate(where: {id: {_lt: 20}}) { aggregate { count } }",
  "thing(order_by: {id: asc}) { id name }",
  "special(order_by: {id: asc}) { id name }",
  "total(order_by: {owner: asc}) { owner amount items }",
  "grand { amount }",
  "large(args: {minimum: 50}, order_by: {id: asc}) { id }",
  "opaque(args: {minimum: 50}, order_by: {id: asc}) { id }",
  "recent(order_by: {id: asc}) { id amount }",
];
const stream = "line_stream(batch_size: 50, cursor: {initial_value: {id: 0}}) { id text }";

interface Session {
  readonly role: string;
  readonly user: string;
}
const sessions: readonly Session[] = [
  { role: "admin", user: "a" },
  { role: "client", user: "a" },
  { role: "client", user: "b" },
];

interface Watched {
  readonly body: string;
  readonly session: Session;
  last: string | undefined;
}

/** The subscriptions of all sessions at one engine. */
class Subscribed implements AsyncDisposable {
  readonly engine: EngineProcess;
  readonly watched: Watched[] = [];
  /** Ids of the stream, in the order of arrival, by session. */
  readonly streamed = new Map<Session, number[]>();
  readonly #sockets: SocketClient[] = [];

  constructor(engine: EngineProcess) {
    this.engine = engine;
    for (const session of sessions) {
      const socket = createClient({
        url: `${engine.url.replace("http", "ws")}/v1/graphql`,
        connectionParams: { headers: headersOf(session) },
      });
      this.#sockets.push(socket);
      for (const body of bodies) {
        const watched: Watched = { body, session, last: undefined };
        this.watched.push(watched);
        socket.subscribe(
          { query: `subscription { ${body} }` },
          {
            next: (result) => void (watched.last = JSON.stringify(result.data ?? result.errors)),
            error: () => undefined,
            complete: () => undefined,
          },
        );
      }
      const ids: number[] = [];
      this.streamed.set(session, ids);
      socket.subscribe<{ line_stream: { id: number }[] }>(
        { query: `subscription { ${stream} }` },
        {
          next: ({ data }) => ids.push(...(data?.line_stream ?? []).map(({ id }) => id)),
          error: () => undefined,
          complete: () => undefined,
        },
      );
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) await socket.dispose();
    await this.engine[Symbol.asyncDispose]();
  }
}

const headersOf = ({ role, user }: Session) => ({
  "x-hasura-admin-secret": adminSecret,
  "x-hasura-role": role,
  "x-hasura-user-id": user,
});

function change(random: (bound: number) => number): string {
  const id = random(40);
  const changes = [
    `insert into pushed.item values (${id}, '${"ab"[random(2)] ?? "a"}', ${random(100)}) on conflict (id) do update set amount = excluded.amount`,
    `update pushed.item set amount = ${random(100)} where id = ${id}`,
    `update pushed.item set owner = '${"ab"[random(2)] ?? "a"}' where id = ${id}`,
    `delete from pushed.item where id = ${id}`,
    `insert into pushed.part select ${id}, min(id), ${random(10)} from pushed.item having min(id) is not null on conflict (id) do update set size = excluded.size`,
    `delete from pushed.part where id = ${id}`,
    `insert into pushed.event values (${id}, 'x') on conflict do nothing`,
    `insert into pushed.event_low values (${id % 20}, 'low') on conflict do nothing`,
    `update pushed.event set kind = 'k${random(5)}' where id = ${id}`,
    `delete from pushed.event_high where id = ${20 + (id % 20)}`,
    `insert into pushed.thing select ${id}, 'plain' where not exists (select from pushed.thing where id = ${id})`,
    `insert into pushed.special select ${id}, 'special', '' where not exists (select from pushed.thing where id = ${id})`,
    `update pushed.thing set name = 'n${random(9)}' where id = ${id}`,
    `update only pushed.special set name = 's${random(9)}' where id = ${id}`,
    `delete from pushed.thing where id = ${id}`,
    ...(random(20) === 0 ? ["truncate pushed.event"] : []),
  ];
  return changes[random(changes.length)] ?? "";
}

/** Random transactions, some of which are long, rolled back, or continue after a failed step. @param pause between two, at most, in milliseconds */
async function write(client: Client, random: (bound: number) => number, count: number, pause: number): Promise<void> {
  for (let done = 0; done < count;) {
    if (pause > 0) await sleep(random(pause));
    const kind = random(10);
    try {
      if (kind < 5) {
        await client.query(change(random));
        done += 1;
        continue;
      }
      await client.query("begin");
      for (let step = 0; step <= random(4); step += 1, done += 1) await client.query(change(random));
      if (kind === 5) await client.query(`savepoint s; ${change(random)}; rollback to savepoint s; ${change(random)}`);
      if (kind === 6) await client.query(`select pg_sleep(${random(300) / 1_000})`);
      await client.query(kind === 7 ? "rollback" : "commit");
    } catch {
      await client.query("rollback");
    }
  }
}

export interface PushComparison {
  readonly changes: number;
  /** Answers that were not those of a query, some seconds after the last change of a round. */
  readonly wrong: readonly string[];
  /** Changes that only the net found. */
  readonly missed: number;
  readonly listenersKilled: number;
  /** Reasons for which a statement was polled at the end. */
  readonly polled: readonly string[];
}

/** Milliseconds: longer than polling takes, shorter than the net. */
const patience = 10_000;

/** Runs rounds of changes; after each, all answers must be those of a query. @param seed for the changes; their order is up to Postgres */
export async function comparePush(
  { owner: ownerUrl, engine: engineUrl, administrator: administratorUrl }: Logins,
  { changes, rounds, seed }: { readonly changes: number; readonly rounds: number; readonly seed: number },
): Promise<PushComparison> {
  await using stack = new AsyncDisposableStack();
  const connect = async (url: string): Promise<Client> => {
    const client = new Client(url);
    client.on("error", () => undefined);
    await client.connect();
    stack.defer(() => client.end());
    return client;
  };
  const [owner, administrator] = [await connect(ownerUrl), await connect(administratorUrl)];
  await owner.query(schema);
  stack.defer(async () => {
    await owner.query("drop schema pushed cascade");
  });
  await owner.query(watch);
  const folder = mkdtempSync(join(tmpdir(), "routeql-push-"));
  stack.defer(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "metadata.json"), JSON.stringify(metadataAt(engineUrl)));
  const start = async (liveQueries: "push" | "poll") =>
    stack.use(
      new Subscribed(
        await startEngineProcess({
          ENGINE_METADATA_DIRECTORY: join(folder, "metadata.json"),
          ENGINE_POOL_SIZE: "4",
          ENGINE_LIVE_QUERIES: liveQueries,
        }),
      ),
    );
  const [pushed, polledEngine] = [await start("push"), await start("poll")];
  const writers = await Promise.all(Array.from({ length: 6 }, () => connect(ownerUrl)));
  const random = randomBelow(seed);
  const wrong: string[] = [];
  let listenersKilled = 0;
  let lines = 0;
  for (let round = 0; round < rounds; round += 1) {
    const perWriter = Math.ceil(changes / rounds / writers.length);
    const work = writers.map((client, index) =>
      index === 0
        ? appendLines(client)
        : write(client, randomBelow(seed + round * 100 + index), perWriter, round % 2 === 0 ? 500 : 0),
    );
    async function appendLines(client: Client): Promise<void> {
      for (let step = 0; step < perWriter; step += 1) {
        lines += 1;
        await client.query("insert into pushed.line values ($1, 'x')", [lines]);
      }
    }
    // In the first round, and in a third of the others.
    if (round === 0 || random(3) === 0) {
      await sleep(random(200));
      const { rowCount } = await administrator.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'routeql-engine-listener'",
      );
      listenersKilled += rowCount ?? 0;
    }
    await Promise.all(work);
    wrong.push(...(await differences([pushed, polledEngine], lines)).map((text) => `round ${round + 1}: ${text}`));
  }
  const metrics = await pushed.engine.metrics();
  return {
    changes,
    wrong,
    missed: metrics.get("routeql_engine_live_query_missed_notices_total") ?? Number.NaN,
    listenersKilled,
    polled: [...metrics].flatMap(([name, value]) => {
      const [, reason] = /live_query_polled\{reason="(.*)"\}/.exec(name) ?? [];
      return reason === undefined || value === 0 ? [] : [reason];
    }),
  };
}

/** What differs from the answers of queries when the patience is over. */
async function differences(engines: readonly Subscribed[], lines: number): Promise<string[]> {
  const deadline = performance.now() + patience;
  const expected = new Map<string, string>();
  const [, asked] = engines;
  for (const { body, session } of asked?.watched ?? []) {
    const reply = await fetch(`${String(asked?.engine.url)}/v1/graphql`, {
      method: "POST",
      headers: headersOf(session),
      body: JSON.stringify({ query: `{ ${body} }` }),
    });
    const { data } = (await reply.json()) as { readonly data: unknown };
    expected.set(`${session.role} ${session.user} ${body}`, JSON.stringify(data));
  }
  const all = Array.from({ length: lines }, (_, index) => index + 1).join();
  for (;;) {
    const found = engines.flatMap((engine, index) => {
      const name = ["push", "poll"][index] ?? "";
      return [
        ...engine.watched.flatMap(({ body, session: { role, user }, last }) => {
          const wanted = expected.get(`${role} ${user} ${body}`);
          return last === wanted
            ? []
            : [`${name}, ${role} ${user}: ${body}: ${String(last)} instead of ${String(wanted)}`];
        }),
        ...[...engine.streamed].flatMap(([{ role, user }, ids]) =>
          ids.join() === all ? [] : [`${name}, ${role} ${user}: stream: ${ids.length} of ${lines} lines`],
        ),
      ];
    });
    if (found.length === 0 || performance.now() > deadline) return found;
    await sleep(20);
  }
}
