import { join } from "node:path";
import { createEngine, type Engine, errorReply, type Session, toEngineError } from "@routeql/engine";
import { commandsOn } from "../../database/support.ts";
import { type StartedDatabaseContainer, startDatabase } from "../../harness/containers/database-container.ts";
import { metadataDirectory } from "./declared.ts";

export const north = "example-north";
export const south = "example-south";

/** Session of a role; without an organisation a tenant's session has none. */
export function sessionOf(role: string, organisation?: string): Session {
  const variables = organisation === undefined ? [] : [["x-hasura-org-id", organisation] as const];
  return { role, isAdmin: role === "admin", variables: new Map(variables) };
}

export type Rows = readonly Readonly<Record<string, unknown>>[];

/** A database with rows and an engine over the project's metadata, connected as the engine's own database role. */
export class World implements AsyncDisposable {
  readonly database: StartedDatabaseContainer;
  readonly engine: Engine;

  private constructor(database: StartedDatabaseContainer, engine: Engine) {
    this.database = database;
    this.engine = engine;
  }

  /** @param fill inserts rows; afterwards Postgres analyses their distribution, as in production */
  static async start(fill: (database: StartedDatabaseContainer) => Promise<void>): Promise<World> {
    const database = await startDatabase();
    try {
      await fill(database);
      await using owner = await database.connect("owner");
      await owner.query(
        "analyze routing.bgp_updates, routing.hijacks, routing.update_links, routing.configured_prefixes",
      );
      const environment = { ROUTEQL_DATABASE_URL: database.getConnectionUri("engine") };
      return new World(database, await createEngine({ metadata: metadataDirectory, environment }));
    } catch (error) {
      await database.stop();
      throw error;
    }
  }

  /** The data of an answer. @throws EngineError */
  async ask<Data = unknown>(session: Session, query: string, variables: Record<string, unknown> = {}): Promise<Data> {
    return (JSON.parse(await this.engine.execute({ query, variables }, session)) as { data: Data }).data;
  }

  /** The role's answer: data or an error; for a subscription its first answer. */
  async reply(session: Session, query: string, variables: Record<string, unknown> = {}): Promise<string> {
    try {
      if (!query.startsWith("subscription")) return await this.engine.execute({ query, variables }, session);
      const live = this.engine.prepareSubscription({ query, variables }, session);
      const [answer] = await this.engine.poll(live.cohortKey, [live.parameters]);
      return answer?.text ?? "";
    } catch (error) {
      return errorReply(toEngineError(error));
    }
  }

  /** Rows as Postgres writes them in JSON, read as the engine's database role. */
  async rows(query: string, values: readonly unknown[] = []): Promise<Rows> {
    await using client = await this.database.connect("engine");
    const { rows } = await client.query<{ json: Rows[number] }>(`select to_json(q) as json from (${query}) q`, [
      ...values,
    ]);
    return rows.map(({ json }) => json);
  }

  async asOwner(...statements: string[]): Promise<void> {
    await using owner = await this.database.connect("owner");
    for (const statement of statements) await owner.query(statement);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.engine.close();
    await this.database.stop();
  }
}

/**
 * Generated updates of two organisations with their detected hijacks, and changes by operators and time: an
 * ignored and a resolved hijack, comments, an unowned prefix, links across organisations, updates without a peer and without
 * a configured prefix.
 */
export async function demoRows(database: StartedDatabaseContainer): Promise<void> {
  const { load, detect } = commandsOn(database);
  const examples = join(import.meta.dirname, "../../../routing/examples/demo.yaml");
  for (const result of [await load("--demo", "4000", "--start", "2026-05-01"), await detect(examples)]) {
    if (result.code !== 0) throw new Error(result.stderr);
  }
  await using owner = await database.connect("owner");
  await owner.query(`
    with ranked as (
      select h.key, c.organisation, row_number() over (partition by c.organisation order by h.key) as place
      from routing.hijacks h join routing.configured_prefixes c on c.prefix = h.configured_prefix
    )
    update routing.hijacks h set comment = 'note of ' || r.organisation || ' ' || r.place, community_annotation = 'critical',
      ignored = r.place = 1, resolved = r.place = 2, active = r.place > 2, withdrawn = false, dormant = false, time_ended = null
    from ranked r where r.key = h.key;

    insert into routing.configured_prefixes (prefix, origins, organisation) values ('192.0.2.64/26', '{64500}', null);
    insert into routing.hijacks (key, type, prefix, hijack_as, time_detected, configured_prefix, comment)
      values ('nobodys', 'E|0|-|-', '192.0.2.64/26', 64511, '2026-05-01', '192.0.2.64/26', 'note of nobody'),
        ('nowhere', 'E|0|-|-', '192.0.2.96/27', 64511, '2026-05-01', null, 'note of nowhere');
    insert into routing.visibility_losses (prefix, time_started, min_peers, num_peers)
      values ('192.0.2.0/24', '2026-05-01', 1, 0), ('198.51.100.0/24', '2026-05-02', 2, 1), ('192.0.2.64/26', '2026-05-03', 1, 0);
    insert into routing.feed_sources (source, covered_until, beat_at) values ('ris-live', now(), '2100-01-01');
    insert into routing.feed_gaps (source, time_started, time_ended, reason) values ('ris-live', '2026-05-01 01:00', '2026-05-01 02:00', 'silent');
  `);
  const key = (organisation: string, place: number) =>
    `(select key from routing.hijacks where comment = 'note of ${organisation} ${place}')`;
  const update = (second: number, prefix: string, peer: string, matched: string, ...keys: string[]) =>
    owner.query(`insert into routing.bgp_updates
      (key, prefix, origin_as, peer_asn, as_path, service, type, "timestamp", hijack_key, matched_prefix, handled, communities, orig_path)
      select gen_random_uuid(), '${prefix}', 64511, ${peer}, '{64504,64511}', 'demo|north', 'A',
        '2026-05-01 00:00:00'::timestamp + interval '${second}.5 hours', array[${keys.join()}]::text[], ${matched}, true, '[[64504,1]]', '[[64504],64511]'`);
  await update(1, "192.0.2.64/26", "64496", "'192.0.2.64/26'", "'nobodys'");
  await update(2, "192.0.2.96/27", "64496", "null", "'nowhere'");
  await update(3, "192.0.2.128/25", "64496", "'192.0.2.0/24'", key(north, 2), key(south, 2));
  await update(4, "203.0.113.0/24", "64496", "'203.0.113.0/24'", key(south, 3), key(north, 2));
  await update(5, "192.0.2.128/25", "64496", "'192.0.2.0/24'", key(north, 1), key(north, 2));
  await update(6, "192.0.2.128/25", "null", "'192.0.2.0/24'", key(north, 2));
  await update(7, "203.0.113.128/25", "64496", "null");
}
