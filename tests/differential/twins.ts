import pg from "pg";
import type { Metadata } from "@routeql/engine/apply-metadata/metadata-api";
import { execute } from "../harness/execute.ts";
import { type Answer, type Call, type Pair, post } from "./pair.ts";
import type { World } from "./worlds.ts";

export type Side = "hasura" | "embedded";

/** Stores the rows of every table beside it, for comparing and restoring. Partitions belong to their table. */
const remember = `
  create schema differential;
  create table differential.tables as
    select c.oid::regclass::text as name, case relkind when 'r' then 'only ' else '' end || c.oid::regclass as rows,
      (select string_agg(quote_ident(attname), ', ') from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '') as columns
    from pg_class c where relkind in ('r', 'p') and not relispartition and relnamespace::regnamespace::text !~ '^(pg_|information_schema|differential)'
      and not exists (select from pg_depend where objid = c.oid and deptype = 'e');
  create table differential.before (name text, row text);
  do $$ declare t record; begin
    for t in table differential.tables loop
      execute format('create table differential.%I as select * from %s', t.name, t.rows);
      execute format('insert into differential.before select %L, to_jsonb(t)::text from %s t', t.name, t.rows);
    end loop;
  end $$`;

/** A database into which one engine writes. */
class Twin implements AsyncDisposable {
  readonly #client: pg.Client;
  #changes = "";
  #restore = "";

  private constructor(client: pg.Client) {
    this.#client = client;
  }

  static async open(address: string): Promise<Twin> {
    const client = new pg.Client({ connectionString: address });
    // The container may stop first.
    client.on("error", () => undefined);
    await client.connect();
    const twin = new Twin(client);
    await client.query("set search_path = ''; set session_replication_role = replica");
    await client.query(remember);
    const tables = await client.query<{ name: string; rows: string; columns: string }>("table differential.tables");
    const sequences = await client.query<{ name: string }>(
      `select oid::regclass::text as name from pg_class where relkind = 'S'`,
    );
    const rows = tables.rows.map(
      (table) => `select ${pg.escapeLiteral(table.name)} as name, to_jsonb(t)::text as row from ${table.rows} t`,
    );
    const now = rows.join(" union all ");
    const positions = sequences.rows.map(
      ({ name }) => `select ${pg.escapeLiteral(name)} || ' ' || last_value || is_called as change from ${name}`,
    );
    twin.#changes = `select coalesce(string_agg(change, e'\\n' order by change collate "C"), '') as text from (${[
      `select name || ' + ' || row as change from (${now} except all table differential.before) added`,
      `select name || ' - ' || row as change from (table differential.before except all (${now})) removed`,
      ...positions,
    ].join(" union all ")}) changes`;
    const values: string[] = [];
    for (const { name } of sequences.rows) {
      const { rows: found } = await client.query<{ text: string }>(
        `select format('select setval(%L, %s, %L)', ${pg.escapeLiteral(name)}, last_value, is_called) as text from ${name}`,
      );
      values.push(...found.map(({ text }) => text));
    }
    twin.#restore = [
      `truncate ${tables.rows.map((table) => table.rows).join(", ")}`,
      ...tables.rows.map(
        ({ name, columns }) =>
          `insert into ${name} (${columns}) overriding system value select ${columns} from differential.${pg.escapeIdentifier(name)}`,
      ),
      ...values,
    ].join("; ");
    return twin;
  }

  /** Rows that were added or removed since the last restore, and the positions of sequences. */
  async changes(): Promise<string> {
    const { rows } = await this.#client.query<{ text: string }>(this.#changes);
    return rows[0]?.text ?? "";
  }

  async restore(): Promise<void> {
    await this.#client.query(this.#restore);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.end();
  }
}

/** Two equal databases of one world, one for each engine. */
export class Twins implements AsyncDisposable {
  readonly #pair: Pair;
  readonly #twins: Readonly<Record<Side, Twin>>;
  readonly #initial: string;

  private constructor(pair: Pair, twins: Readonly<Record<Side, Twin>>, initial: string) {
    this.#pair = pair;
    this.#twins = twins;
    this.#initial = initial;
  }

  /** Copies the world's database and gives each engine one of both. */
  static async open(pair: Pair, { metadata, database }: World): Promise<Twins> {
    const { pathname } = new URL(database);
    const name = pathname.slice(1);
    const server = Object.assign(new URL(database), { pathname: "/template1" }).href;
    await execute(
      server,
      `drop database if exists ${name}_twin with (force)`,
      `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
      `create database ${name}_twin template ${name}`,
    );
    const copied = JSON.parse(
      JSON.stringify(metadata).replaceAll(new RegExp(`${pathname}(?=["?])`, "g"), `${pathname}_twin`),
    ) as Metadata;
    const twin = Object.assign(new URL(database), { pathname: `${pathname}_twin` }).href;
    const twins = { hasura: await Twin.open(database), embedded: await Twin.open(twin) };
    await pair.apply(metadata, copied);
    return new Twins(pair, twins, await twins.hasura.changes());
  }

  /** The answer, with all changes to the database, which are then undone. */
  async ask(side: Side, call: Call): Promise<Answer> {
    const twin = this.#twins[side];
    const answer = await post(this.#pair[side], call);
    const changes = await twin.changes();
    if (changes === this.#initial) return answer;
    await twin.restore();
    return { ...answer, body: withoutTime(answer.body), changes: withoutTime(changes) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const twin of Object.values(this.#twins)) await twin[Symbol.asyncDispose]();
  }
}

/** Both engines run a mutation at different moments. */
function withoutTime(text: string): string {
  const today = new Date().toISOString().slice(0, 10);
  return text.replaceAll(new RegExp(`${today}T[0-9:.]+(?:\\+00:00)?`, "g"), "now");
}
