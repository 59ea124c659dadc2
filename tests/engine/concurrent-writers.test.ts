/** Concurrent writers that lose answers repeat their requests as docs/clients/lost-answers.md describes. */
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type StartedDatabaseContainer, startDatabase } from "../harness/containers/database-container.ts";
import { ToxicProxy } from "../harness/containers/toxic-proxy.ts";
import { adminSecret, type EngineProcess, startEngineProcess } from "./support/engine-process.ts";
import { sourceAt } from "./support/source.ts";

const page = readFileSync(resolve(import.meta.dirname, "../../docs/clients/lost-answers.md"), "utf8");
/** The mutations of the page, in their order. */
const [transfer = "", insert = "", remove = ""] = [...page.matchAll(/```graphql\n([^`]+)```/g)].map(([, text]) => text);

const clients = 8;
const accounts = 12;
const first = 1_000;

/** COMMIT takes up to 40 ms, so that faults meet it. */
const schema = `
drop schema if exists bank cascade;
create schema bank;
create table bank.account (id int primary key, balance bigint not null);
create table bank.transfer (key uuid primary key, amount bigint not null, client text not null);
create table bank.note (key uuid constraint note_key primary key, text text not null, client text not null);
insert into bank.account select id, ${first} from generate_series(1, ${accounts}) id;
create function bank.slow() returns trigger language plpgsql as $$ begin perform pg_sleep(random() * 0.04); return null; end $$;
create constraint trigger slow after insert on bank.transfer deferrable initially deferred for each row execute function bank.slow();
create constraint trigger slow after insert or delete on bank.note deferrable initially deferred for each row execute function bank.slow();
`;

const own = { client: { _eq: "X-Hasura-User-Id" } };
const inserting = (columns: readonly string[]) => ({
  insert_permissions: [{ role: "client", permission: { columns, check: {}, set: { client: "X-Hasura-User-Id" } } }],
  select_permissions: [{ role: "client", permission: { columns, filter: own } }],
});
const tables = [
  {
    table: { schema: "bank", name: "account" },
    select_permissions: [{ role: "client", permission: { columns: ["id", "balance"], filter: {} } }],
    update_permissions: [{ role: "client", permission: { columns: ["balance"], filter: {}, check: null } }],
    configuration: { custom_name: "account" },
  },
  {
    table: { schema: "bank", name: "transfer" },
    ...inserting(["key", "amount"]),
    configuration: { custom_name: "transfer" },
  },
  {
    table: { schema: "bank", name: "note" },
    ...inserting(["key", "text"]),
    delete_permissions: [{ role: "client", permission: { filter: own } }],
    configuration: { custom_name: "note" },
  },
];

let database: StartedDatabaseContainer;
let folder: string;

beforeAll(async () => {
  database = await startDatabase();
  folder = mkdtempSync(join(tmpdir(), "routeql-writers-"));
});

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await database.stop();
});

interface Reply {
  readonly data?: Readonly<Record<string, { readonly affected_rows?: number } | null>>;
  readonly errors?: readonly { readonly message: string; readonly extensions: { readonly code: string } }[];
}

const byKey = (rows: readonly (readonly (string | number)[])[]) =>
  rows.toSorted(([one = ""], [other = ""]) => (one < other ? -1 : 1));

/** What the clients saw; each kind of answer with its number. */
type Seen = Record<string, number>;

describe("eight clients", () => {
  let engine: EngineProcess;
  let proxy: ToxicProxy;
  const start = (): Promise<EngineProcess> =>
    startEngineProcess({ ENGINE_METADATA_DIRECTORY: join(folder, "metadata.json"), ENGINE_POOL_SIZE: "4" });

  beforeEach(async () => {
    await using admin = await database.connect("bootstrap");
    await admin.query(schema);
    const url = new URL(database.getConnectionUri("bootstrap"));
    proxy = await ToxicProxy.to(url.hostname, Number(url.port));
    const source = sourceAt(proxy.through(url.href), { tables });
    writeFileSync(join(folder, "metadata.json"), JSON.stringify({ version: 3, sources: [source] }));
    engine = await start();
  });

  afterEach(async () => {
    await engine.kill();
    await proxy[Symbol.asyncDispose]();
  });

  async function send(client: number, query: string, variables: object): Promise<Reply> {
    const response = await fetch(`${engine.url}/v1/graphql`, {
      method: "POST",
      headers: { "x-hasura-admin-secret": adminSecret, "x-hasura-role": "client", "x-hasura-user-id": String(client) },
      body: JSON.stringify({ query, variables }),
      signal: AbortSignal.timeout(20_000),
    });
    return (await response.json()) as Reply;
  }

  /** Sends a request until its outcome is known. Returns whether an earlier attempt had stored it. */
  async function settle(client: number, seen: Seen, query: string, variables: object): Promise<boolean> {
    const count = (what: string): void => void (seen[what] = (seen[what] ?? 0) + 1);
    let mayBeStored = false;
    for (;;) {
      try {
        const { data, errors: [error] = [] } = await send(client, query, variables);
        const code = error?.extensions.code ?? "";
        count(error === undefined ? "done" : `${code}: ${error.message}`.slice(0, 60));
        if (error === undefined) {
          const affected = Object.values(data ?? {}).map((field) => field?.affected_rows ?? 0);
          if (affected.every((rows) => rows === 1)) return false;
          // The page's insertion and deletion change nothing the second time.
          expect([mayBeStored, affected]).toEqual([true, [0]]);
          return true;
        }
        if (code === "constraint-violation") {
          expect(mayBeStored, error.message).toBe(true);
          return true;
        }
        expect(["busy", "timeout", "postgres-error"], error.message).toContain(code);
        if (error.message.includes("lost during COMMIT")) mayBeStored = true;
      } catch (error) {
        if ((error as Error).name === "AssertionError") throw error;
        count("no answer");
        mayBeStored = true;
      }
      await sleep(Math.random() * 100);
    }
  }

  /** Changes random rows until the end of the faults, and returns the rows that must exist. */
  async function write(client: number, over: AbortSignal, seen: Seen) {
    const notes = new Set<string>();
    const amounts = new Map<string, number>();
    const moved = Array.from({ length: accounts }, () => 0);
    const settled = async (query: string, variables: object): Promise<void> => {
      if (await settle(client, seen, query, variables)) seen["stored before"] = (seen["stored before"] ?? 0) + 1;
    };
    while (!over.aborted) {
      const key = randomUUID();
      const choice = Math.random();
      const [old] = notes;
      if (choice < 0.5) {
        const amount = Math.ceil(Math.random() * 9);
        const from = Math.floor(Math.random() * accounts);
        const to = (from + 1 + Math.floor(Math.random() * (accounts - 1))) % accounts;
        await settled(transfer, { key, amount, minus: -amount, from: from + 1, to: to + 1 });
        moved[from]! -= amount;
        moved[to]! += amount;
        amounts.set(key, amount);
      } else if (choice < 0.8 || old === undefined) {
        await settled(insert, { key, text: `of ${client}` });
        notes.add(key);
      } else {
        await settled(remove, { key: old });
        notes.delete(old);
      }
    }
    return { notes, amounts, moved };
  }

  /** Runs all clients beside faults, which wait for more changes with `more`, and compares the rows with the sum of the clients' changes. */
  async function beside(fault: (more: () => Promise<void>) => Promise<void>): Promise<Seen> {
    const over = new AbortController();
    const seen: Seen = {};
    const writers = Promise.all(Array.from({ length: clients }, (_, client) => write(client, over.signal, seen)));
    const more = async (): Promise<void> => {
      const before = seen["done"] ?? 0;
      await expect.poll(() => seen["done"] ?? 0, { timeout: 60_000 }).toBeGreaterThan(before + 20);
    };
    await Promise.race([fault(more), writers]);
    over.abort();
    const written = await writers;
    await using admin = await database.connect("bootstrap");
    const rows = async (text: string): Promise<unknown[]> =>
      (await admin.query<unknown[]>({ text, rowMode: "array" })).rows;
    expect(await rows("select balance::int from bank.account order by id")).toEqual(
      Array.from({ length: accounts }, (_, account) => [
        written.reduce((sum, { moved }) => sum + (moved[account] ?? 0), first),
      ]),
    );
    const transfers = written.flatMap(({ amounts }, client) =>
      [...amounts].map(([key, amount]) => [key, amount, String(client)]),
    );
    expect(await rows("select key, amount::int, client from bank.transfer order by key")).toEqual(byKey(transfers));
    const notes = written.flatMap((own, client) => [...own.notes].map((key) => [key, String(client)]));
    expect(await rows("select key, client from bank.note order by key")).toEqual(byKey(notes));
    console.log(JSON.stringify(seen));
    return seen;
  }

  /** Ends processes of Postgres, which then restarts and recovers from its log. */
  async function killDatabase(): Promise<void> {
    await using admin = await database.connect("bootstrap");
    const { rows } = await admin.query("select pid from pg_stat_activity where backend_type = 'checkpointer'");
    const { exitCode, output } = await database.exec(["kill", "-KILL", String((rows as [{ pid: number }])[0].pid)]);
    expect(exitCode, output).toBe(0);
    await sleep(200);
    await database.untilReady();
  }

  test("lose and double nothing when the engine is killed", async () => {
    const seen = await beside(async (more) => {
      for (let kill = 0; kill < 6; kill += 1) {
        await more();
        await engine.kill();
        engine = await start();
      }
      await more();
    });
    expect(seen["no answer"]).toBeGreaterThan(5);
    expect(seen["stored before"]).toBeGreaterThan(0);
  });

  test("lose and double nothing when the database is killed or its connections break", async () => {
    const seen = await beside(async (more) => {
      for (let kill = 0; kill < 3; kill += 1) {
        await more();
        await killDatabase();
        await more();
        proxy.set("reset");
        proxy.set("pass");
      }
      await more();
    });
    const lost = "postgres-error: the database connection was lost during COMMIT";
    expect(Object.entries(seen).filter(([what]) => what.startsWith(lost.slice(0, 60)))).toHaveLength(1);
  });

  test("lose and double nothing when all connections wait for a lock", async () => {
    const seen = await beside(async (more) => {
      for (let lock = 0; lock < 2; lock += 1) {
        await more();
        await using admin = await database.connect("bootstrap");
        await admin.query("begin; lock table bank.account, bank.note in share mode");
        await sleep(6_500);
        await admin.query("rollback");
      }
      await more();
    });
    expect(Object.keys(seen).filter((what) => /^(timeout|busy)/.test(what))).not.toEqual([]);
  });
});
